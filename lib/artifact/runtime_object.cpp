// See runtime_object.h.
#include "artifact/runtime_object.h"

// The assembler reads the file: as an array in C++ it would be a text of four times its size.
// clang-format off
asm(".pushsection .rodata,\"a\"\n"
    ".hidden mlgc_runtime_object_start\n"
    ".hidden mlgc_runtime_object_end\n"
    ".globl mlgc_runtime_object_start\n"
    ".globl mlgc_runtime_object_end\n"
    "mlgc_runtime_object_start: .incbin \"" MLGC_RUNTIME_OBJECT "\"\n"
    "mlgc_runtime_object_end:\n"
    ".popsection\n");
// clang-format on

// NOLINTNEXTLINE(readability-identifier-naming): names of the assembler
extern "C" const char mlgc_runtime_object_start[], mlgc_runtime_object_end[];

namespace mlgc {

std::string_view runtime_object() { return {mlgc_runtime_object_start, mlgc_runtime_object_end}; }

}  // namespace mlgc
