# mlgc_program(<name> SOURCES <file>... [LINK <target>...])
#
# A program that starts in milliseconds: libstdc++ and libgcc are linked statically and the program at a fixed address, so
# that the pointers of its tables need no relocation (24,000 of them: a third of the start); except under sanitizers,
# whose run-time wants to intercept the shared libraries. Carries the project's warnings. Folders of lib/ are linked as
# mlgc::<folder>; scripts/check-layers reads them from this call.
include_guard()

function(mlgc_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  mlgc_compile_as_ours(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  if(NOT MLGC_SANITIZE)
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc -no-pie)
  endif()
endfunction()
