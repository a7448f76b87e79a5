# mlgc_library(<folder> LAYER <n> [O1] [DEPENDS <folder>...] [LINK <target>...])
#
# One static library `mlgc_<folder>` (alias mlgc::<folder>) from the sources of lib/<folder>, without those of folders in
# it that are libraries of their own (lib/import/fx is mlgc::import_fx, and `import/fx` here). Guarantees that an
# arrow between folders points down: configuring fails when a dependency's layer is not lower than <n>, unless both
# share a layer and the pair is listed in MLGC_LAYER_EXCEPTIONS with its reason. O1: a release compiles it with -O1, which
# takes a fifth less time; for large folders in which commands spend little of theirs.
include_guard()

set(MLGC_WARNINGS -Wall -Wextra -Wpedantic -Werror -Wshadow=local -Wnon-virtual-dtor -Wold-style-cast)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  list(REMOVE_ITEM MLGC_WARNINGS -Wshadow=local)  # clang only has -Wshadow, which also minds locals named as a member
elseif(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 is wrong about copies within std::string (GCC PR 105651), and sees more of them through a precompiled header.
  list(APPEND MLGC_WARNINGS -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()

# mlgc_precompile(<name> [HEADERS <header>...] [OPTIONS <flag>...]): an object library whose precompiled header, the
# standard library's most used headers and HEADERS, others reuse. Only with g++: the clang build, without, finds the file
# that leans on it for a missing #include.
option(MLGC_PRECOMPILED_HEADER "Precompile the standard library's headers" ON)
function(mlgc_precompile name)
  cmake_parse_arguments(ARG "" "" "HEADERS;OPTIONS" ${ARGN})
  if(NOT MLGC_PRECOMPILED_HEADER OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  add_library(${name} OBJECT "${CMAKE_SOURCE_DIR}/cmake/precompiled.cpp")
  target_compile_options(${name} PRIVATE ${MLGC_WARNINGS} ${ARG_OPTIONS})
  target_precompile_headers(${name} PRIVATE <algorithm> <array> <cassert> <charconv> <cmath> <cstdint> <cstring> <functional>
    <limits> <map> <memory> <numeric> <optional> <set> <span> <sstream> <string> <string_view> <type_traits> <unordered_map>
    <utility> <variant> <vector> ${ARG_HEADERS})
endfunction()
mlgc_precompile(mlgc_precompiled)
set(MLGC_O1 "$<$<CONFIG:Release>:-O1>")
mlgc_precompile(mlgc_precompiled_o1 OPTIONS ${MLGC_O1})

# mlgc_compile_as_ours(<target> [PRECOMPILED <name>] [OPTIONS <flag>...]): the project's warnings and a precompiled header,
# which must have been made with the same flags.
function(mlgc_compile_as_ours target)
  cmake_parse_arguments(ARG "" "PRECOMPILED" "OPTIONS" ${ARGN})
  if(NOT ARG_PRECOMPILED)
    set(ARG_PRECOMPILED mlgc_precompiled)
  endif()
  target_compile_options(${target} PRIVATE ${MLGC_WARNINGS} ${ARG_OPTIONS})
  if(TARGET ${ARG_PRECOMPILED})
    target_precompile_headers(${target} REUSE_FROM ${ARG_PRECOMPILED})
  endif()
endfunction()

# "from>to": same-layer arrows that are allowed, each with a reason.
set(MLGC_LAYER_EXCEPTIONS
  "tensor>support"      # both are layer 0; host tensors use ids, results and files
  "verify>analysis"     # the verifier asks for dominance and effects
  "import>text"         # listed for symmetry: importers build modules and print located errors
)

# MLGC_UNITY: files of a target are compiled several at a time, which halves a build from nothing, since most of a file's
# time goes to headers, and makes each later build longer. The preset `dev` is without. Names of one folder, also in
# anonymous namespaces, must therefore differ.
option(MLGC_UNITY "Compile several files as one, for builds from nothing" OFF)
set(MLGC_UNITY_FILES 16 CACHE STRING "With MLGC_UNITY: so many files")

# mlgc_compile_together(<target>): as MLGC_UNITY says.
function(mlgc_compile_together target)
  if(MLGC_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${MLGC_UNITY_FILES})
  endif()
endfunction()

function(mlgc_library folder)
  cmake_parse_arguments(ARG "O1" "LAYER" "DEPENDS;LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp" "${CMAKE_CURRENT_SOURCE_DIR}/*.h")
  file(GLOB nested CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt")
  foreach(library IN LISTS nested)
    get_filename_component(library "${library}" DIRECTORY)
    list(FILTER sources EXCLUDE REGEX "^${library}/")
  endforeach()
  string(REPLACE "/" "_" name ${folder})
  set(target mlgc_${name})
  add_library(${target} STATIC ${sources})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  add_library(mlgc::${name} ALIAS ${target})
  target_include_directories(${target} PUBLIC "${CMAKE_SOURCE_DIR}/lib")
  if(ARG_O1)
    mlgc_compile_as_ours(${target} PRECOMPILED mlgc_precompiled_o1 OPTIONS ${MLGC_O1})
  else()
    mlgc_compile_as_ours(${target})
  endif()
  mlgc_compile_together(${target})
  set_property(GLOBAL PROPERTY MLGC_LAYER_${folder} ${ARG_LAYER})
  set_property(GLOBAL APPEND PROPERTY MLGC_FOLDERS ${folder})
  set_property(GLOBAL PROPERTY MLGC_DEPENDS_${folder} "${ARG_DEPENDS}")
  foreach(dependency IN LISTS ARG_DEPENDS)
    get_property(layer GLOBAL PROPERTY MLGC_LAYER_${dependency})
    if("${layer}" STREQUAL "")
      message(FATAL_ERROR "lib/${folder} depends on lib/${dependency}, which is not declared before it")
    endif()
    if(NOT layer LESS ARG_LAYER AND NOT "${folder}>${dependency}" IN_LIST MLGC_LAYER_EXCEPTIONS)
      message(FATAL_ERROR "lib/${folder} (layer ${ARG_LAYER}) may not depend on lib/${dependency} (layer ${layer}): arrows point down")
    endif()
    string(REPLACE "/" "_" dependency_name ${dependency})
    target_link_libraries(${target} PUBLIC mlgc::${dependency_name})
  endforeach()
  target_link_libraries(${target} PUBLIC ${ARG_LINK})
endfunction()

# mlgc_write_layer_table(<file>): the graph that the calls above declared, one line a folder:
#   <folder> <layer> <dependency>...
# scripts/check-layers compares every #include with it.
function(mlgc_write_layer_table path)
  get_property(folders GLOBAL PROPERTY MLGC_FOLDERS)
  set(text "")
  foreach(folder IN LISTS folders)
    get_property(layer GLOBAL PROPERTY MLGC_LAYER_${folder})
    get_property(depends GLOBAL PROPERTY MLGC_DEPENDS_${folder})
    list(JOIN depends " " depends)
    string(STRIP "${folder} ${layer} ${depends}" line)
    string(APPEND text "${line}\n")
  endforeach()
  file(CONFIGURE OUTPUT "${path}" CONTENT "${text}" @ONLY)
endfunction()
