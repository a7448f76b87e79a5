# Flags and helpers every target shares. Guarantees that results do not depend on the compiler's choice to contract
# a*b+c (-ffp-contract=off everywhere) and that assert() stays on unless MLGC_ASSERTIONS is switched off.
# ccache and lld are used when found; neither changes what is built.
include_guard()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()

set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

option(MLGC_ASSERTIONS "Keep assert() in optimised builds" ON)
if(MLGC_ASSERTIONS)
  foreach(kind RELEASE RELWITHDEBINFO MINSIZEREL)
    string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_${kind} "${CMAKE_CXX_FLAGS_${kind}}")
    string(REPLACE "-DNDEBUG" "" CMAKE_C_FLAGS_${kind} "${CMAKE_C_FLAGS_${kind}}")
  endforeach()
endif()

add_compile_options(-ffp-contract=off)

option(MLGC_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer; every finding ends the program" OFF)
if(MLGC_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()

# Coverage feedback for libFuzzer in every library; the targets themselves are in test/fuzz.
option(MLGC_FUZZ "Build the fuzz targets (clang with compiler-rt), sanitizers included" OFF)
if(MLGC_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "MLGC_FUZZ needs clang: libFuzzer is part of its compiler-rt (cmake --preset fuzz)")
  endif()
  # AddressSanitizer ends what `null`, `object-size` and `vptr` would find; without them a file compiles in four fifths.
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=null,object-size,vptr
                      -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()

if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(MLGC_CCACHE ccache)
  if(MLGC_CCACHE)
    # Without these two ccache does not cache what uses a precompiled header; neither __DATE__ nor __TIME__ is used.
    set(launcher "${CMAKE_COMMAND}" -E env "CCACHE_SLOPPINESS=pch_defines,time_macros" "${MLGC_CCACHE}")
    set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  endif()
endif()

# g++ only accepts a linker called ld.lld, and Debian installs ld.lld-<version>: a link in the build folder, given
# with -B, serves both compilers.
option(MLGC_LLD "Link with lld when it is found" ON)
if(MLGC_LLD)
  find_program(MLGC_LLD_PROGRAM NAMES ld.lld ld.lld-19 ld.lld-18 ld.lld-17 ld.lld-16 ld.lld-15 ld.lld-14)
  if(MLGC_LLD_PROGRAM)
    file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/linker")
    file(CREATE_LINK "${MLGC_LLD_PROGRAM}" "${CMAKE_BINARY_DIR}/linker/ld.lld" SYMBOLIC)
    add_link_options("-B${CMAKE_BINARY_DIR}/linker" -fuse-ld=lld)
  endif()
endif()
