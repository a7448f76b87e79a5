# mlgc_library(<folder> LAYER <n> [DEPENDS <folder>...] [LINK <target>...])
#
# One static library `mlgc_<folder>` (alias mlgc::<folder>) from the sources of lib/<folder>. Guarantees that an
# arrow between folders points down: configuring fails when a dependency's layer is not lower than <n>, unless both
# share a layer and the pair is listed in MLGC_LAYER_EXCEPTIONS with its reason.
include_guard()

set(MLGC_WARNINGS -Wall -Wextra -Wpedantic -Werror -Wshadow=local -Wnon-virtual-dtor -Wold-style-cast)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  list(REMOVE_ITEM MLGC_WARNINGS -Wshadow=local)  # clang only has -Wshadow, which also minds locals named as a member
elseif(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND MLGC_WARNINGS -Wno-restrict)  # false findings in std::string of g++ 12 when it optimises (GCC PR 105651)
endif()

# "from>to": same-layer arrows that are allowed, each with a reason.
set(MLGC_LAYER_EXCEPTIONS
  "tensor>support"      # both are layer 0; host tensors use ids, results and files
  "verify>analysis"     # the verifier asks for dominance and effects
  "import>text"         # listed for symmetry: importers build modules and print located errors
)

function(mlgc_library folder)
  cmake_parse_arguments(ARG "" "LAYER" "DEPENDS;LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp" "${CMAKE_CURRENT_SOURCE_DIR}/*.h")
  set(target mlgc_${folder})
  add_library(${target} STATIC ${sources})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  add_library(mlgc::${folder} ALIAS ${target})
  target_include_directories(${target} PUBLIC "${CMAKE_SOURCE_DIR}/lib")
  target_compile_options(${target} PRIVATE ${MLGC_WARNINGS})
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
    target_link_libraries(${target} PUBLIC mlgc::${dependency})
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
