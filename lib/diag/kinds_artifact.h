// What building, caching, loading and running compiled models reports. Each row is provoked by a test
// (scripts/check-diagnostics).
#pragma once

#include <array>

#include "diag/diagnostic.h"

namespace mlgc {

inline constexpr DiagKind kNoHostCompiler{
    .id = "no-host-compiler",
    .exit = ExitCode::Unsupported,
    .message = "no C++ compiler was found: {tried:list}",
    .remedy = "install g++ 10 or newer (apt-get install g++) or clang 14 or newer, or name one with --host-compiler=",
    .doc = "Emitted code is compiled by the machine's own compiler: --host-compiler, CXX, g++ or clang++.",
};
inline constexpr DiagKind kNoCudaCompiler{
    .id = "no-cuda-compiler",
    .exit = ExitCode::Unsupported,
    .message = "no CUDA compiler was found: {tried:list}",
    .remedy =
        "install the CUDA toolkit, and name its nvcc where it is not on the path: "
        "--cuda-compiler=/usr/local/cuda/bin/nvcc, or CUDACXX; a machine that only runs the model does not need it",
    .doc = "Emitted CUDA is compiled by nvcc: --cuda-compiler, CUDACXX, or nvcc on the path.",
};
inline constexpr DiagKind kNoDisassembler{
    .id = "no-disassembler",
    .exit = ExitCode::Unsupported,
    .message = "nothing that disassembles the GPU's machine code was found: {tried:list}",
    .remedy = "install cuobjdump or nvdisasm of the CUDA toolkit, or ask for --form=ptx instead of {form:text}",
    .doc = "mlgc emit --form=sass compiles with nvcc and shows what cuobjdump or nvdisasm print.",
};
inline constexpr DiagKind kBadHostCompiler{
    .id = "bad-host-compiler",
    .exit = ExitCode::Unsupported,
    .message = "`{compiler:text}` is not a usable {language:text} compiler: {what:text}",
    .remedy = "name another one with {flag:text}=",
    .doc = "The compiler that was named does not answer to --version.",
};
inline constexpr DiagKind kHostCompilerFailed{
    .id = "host-compiler-failed",
    .exit = ExitCode::Unsupported,
    .message = "`{compiler:text}` {how:text} on `{name:text}`",
    .remedy = "what it was given is kept in {folder:text}",
    .doc = "The compiler refused emitted code, or was killed; its own words follow.",
};
inline constexpr DiagKind kCompilerOutput{
    .id = "compiler-output",
    .severity = Severity::Note,
    .message = "it said: {output:text}",
    .doc = "What the compiler printed.",
};
inline constexpr DiagKind kCacheNotUsed{
    .id = "cache-not-used",
    .severity = Severity::Warning,
    .message = "the cache `{folder:text}` is not used: {why:text}",
    .remedy = "name another folder with MLGC_CACHE=, or MLGC_CACHE=off",
    .doc = "What was compiled is not kept for the next time.",
};
inline constexpr DiagKind kCacheSize{
    .id = "cache-size",
    .severity = Severity::Warning,
    .message = "the cache is not used: MLGC_CACHE_SIZE is `{size:text}`, which is not a size",
    .remedy = "write a number and MiB or GiB, as in MLGC_CACHE_SIZE=512MiB",
    .doc = "How much the cache keeps cannot be read.",
};
inline constexpr DiagKind kCacheDamaged{
    .id = "cache-damaged",
    .severity = Severity::Warning,
    .message = "what the cache has of `{name:text}` is damaged ({what:text}) and is compiled anew",
    .doc = "An entry of the cache is not what was put into it.",
};
inline constexpr DiagKind kCacheUnknown{
    .id = "cache-unknown",
    .exit = ExitCode::BadUsage,
    .message = "the cache `{folder:text}` knows nothing of `{name:text}`",
    .remedy = "`mlgc cache list` shows what it has",
    .doc = "mlgc cache is asked about a name that was never looked for.",
};

inline constexpr DiagKind kNoArtifact{
    .id = "no-artifact",
    .message = "`{path:text}` is not a compiled model: {what:text}",
    .remedy = "`mlgc compile MODEL -o model.mlgcx` makes one",
    .doc = "A compiled model is a folder or a zip archive with manifest.json, model.so and weights.safetensors.",
};
inline constexpr DiagKind kManifestField{
    .id = "manifest-field",
    .message = "`{path:text}`: `{field:text}` in manifest.json {what:text}",
    .remedy = "compile the model again",
    .doc = "The manifest of a compiled model is damaged or was changed.",
};
inline constexpr DiagKind kArtifactVersion{
    .id = "artifact-version",
    .exit = ExitCode::Unsupported,
    .message = "`{path:text}`: `{field:text}` in manifest.json is {found:text}, this program reads {known:text}",
    .remedy = "compile the model again",
    .doc = "The model was compiled by another version of mlgc, or for another kind of machine.",
};
inline constexpr DiagKind kArtifactCpu{
    .id = "artifact-cpu",
    .exit = ExitCode::Unsupported,
    .message = "`{path:text}`: `cpu_features` in manifest.json wants {features:list}, which this CPU does not have",
    .remedy = "compile the model on this machine, or without -march",
    .doc = "The model was compiled for a CPU with more features.",
};
inline constexpr DiagKind kArtifactFile{
    .id = "artifact-file",
    .message = "`{path:text}`: `{file:text}` {what:text}",
    .remedy = "compile the model again, or copy it again",
    .doc = "A file of a compiled model is missing, truncated or changed.",
};
inline constexpr DiagKind kArtifactInTheWay{
    .id = "artifact-in-the-way",
    .message = "`{path:text}` exists and is not a compiled model",
    .remedy = "choose another name, or remove it",
    .doc = "A compiled model replaces another one, and nothing else.",
};
inline constexpr DiagKind kEmittedInTheWay{
    .id = "emitted-in-the-way",
    .message = "`{path:text}` exists and is not a folder that `mlgc emit` wrote",
    .remedy = "choose another name, or remove it",
    .doc = "Emitted source replaces an older one, and nothing else.",
};
inline constexpr DiagKind kCannotLoadModel{
    .id = "cannot-load-model",
    .exit = ExitCode::Unsupported,
    .message = "`{path:text}` cannot be loaded: {what:text}",
    .doc = "The system's loader refuses a model's shared object.",
};

// What the runtime of a compiled model says, one kind for each of its classes (mlgc_status).
inline constexpr DiagKind kRunRefused{
    .id = "run-refused",
    .message = "{what:text}",
    .doc = "A compiled model refuses its inputs: a dtype, a size, a range, or values that a kernel cannot take.",
};
inline constexpr DiagKind kRunUnsupported{
    .id = "run-unsupported",
    .exit = ExitCode::Unsupported,
    .message = "{what:text}",
    .doc = "A compiled model cannot run on this machine.",
};
inline constexpr DiagKind kRunLimit{
    .id = "run-limit",
    .exit = ExitCode::Limit,
    .message = "{what:text}",
    .doc = "A compiled model does not get the memory or the threads that it wants.",
};

// The same of a model for a GPU.
inline constexpr DiagKind kDeviceUnsupported{
    .id = "device-unsupported",
    .exit = ExitCode::Unsupported,
    .message = "{what:text}",
    .remedy =
        "`nvidia-smi` shows the GPUs and the driver of this machine; compile the model for this GPU with --arch=, or "
        "for the CPU with --target=cpp",
    .doc = "There is no GPU, the driver or the GPU is older than the model asks for, or there is none of this number.",
};
inline constexpr DiagKind kDeviceLimit{
    .id = "device-limit",
    .exit = ExitCode::Limit,
    .message = "{what:text}",
    .remedy =
        "take smaller sizes, another GPU (--device=cuda:1) or a larger --memory-limit; `nvidia-smi` shows what other "
        "programs hold",
    .doc = "The memory of a GPU does not suffice for weights, temporaries or tensors, or a limit forbids them.",
};
inline constexpr DiagKind kDeviceFailed{
    .id = "device-failed",
    .exit = ExitCode::Unsupported,
    .message = "{what:text}",
    .remedy = "run it again with CUDA_LAUNCH_BLOCKING=1, or under compute-sanitizer, which names the kernel",
    .doc = "A GPU failed otherwise: a launch, a copy, an error of an earlier kernel.",
};
inline constexpr DiagKind kOtherDevice{
    .id = "other-device",
    .exit = ExitCode::BadUsage,
    .message = "--device={device:text}: `{model:text}` was compiled for {target:text}",
    .remedy = "leave --device out, or compile the model with --target=cuda for a GPU, --target=cpp for the CPU",
    .doc = "A compiled model runs on the kind of device that it was compiled for.",
};

inline constexpr DiagKind kExternalFlag{
    .id = "external-flag",
    .exit = ExitCode::BadUsage,
    .message = "--external=`{flag:text}`: {what:text}",
    .remedy =
        "write the target's name and its shared object, as in `mlgc {command:text} … --external=accel=./libaccel.so`",
    .doc = "What computes the segments of an external target is given by name.",
};
inline constexpr DiagKind kCannotLoadExternal{
    .id = "cannot-load-external",
    .exit = ExitCode::Unsupported,
    .message = "`{path:text}` cannot be loaded as external target `{target:text}`: {what:text}",
    .remedy =
        "build it with `cc -shared -fPIC`, with a function `const mlgc_external* {symbol:text}(void)` "
        "(docs/partition.md)",
    .doc = "The shared object of an external target does not load, or has no callback table for it.",
};
inline constexpr DiagKind kExternalMissing{
    .id = "external-missing",
    .exit = ExitCode::Unsupported,
    .message =
        "`{model:text}` has segments for the external target `{target:text}`, and nothing is given that computes "
        "them",
    .remedy = "name its shared object with --external={target}=FILE.so; `mlgc run --list` shows which launches are its",
    .doc = "A partitioned model needs the callback table of each target that it was partitioned for.",
};
inline constexpr DiagKind kExternalFailed{
    .id = "external-failed",
    .exit = ExitCode::Unsupported,
    .message = "{what:text}",
    .doc = "An external target could not prepare or compute a segment, with a status of its own.",
};

inline constexpr std::array kArtifactKinds{
    &kCacheUnknown,       &kNoHostCompiler,   &kBadHostCompiler, &kHostCompilerFailed, &kCompilerOutput,
    &kCacheNotUsed,       &kCacheSize,        &kCacheDamaged,    &kNoArtifact,         &kManifestField,
    &kArtifactVersion,    &kArtifactCpu,      &kArtifactFile,    &kRunRefused,         &kRunUnsupported,
    &kRunLimit,           &kArtifactInTheWay, &kCannotLoadModel, &kEmittedInTheWay,    &kExternalFlag,
    &kCannotLoadExternal, &kExternalMissing,  &kExternalFailed,  &kNoCudaCompiler,     &kNoDisassembler,
    &kDeviceUnsupported,  &kDeviceLimit,      &kDeviceFailed,    &kOtherDevice};

}  // namespace mlgc
