# What `cmake --install` and `cpack` put together (docs/installing.md): the program, the LibTorch plug-in, the C ABI of compiled
# models as a CMake package, the docs, and what the program prints of itself: completions and the manual page. The wheel
# has a component of its own, `python`, which is not part of this.
include_guard()

if(NOT TARGET mlgc OR MLGC_SANITIZE OR MLGC_FUZZ)
  return()
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS mlgc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT mlgc)
# Relative to the program, whatever the name of the folder of libraries is: lib/plugin looks there.
if(TARGET mlgc_torch)
  install(TARGETS mlgc_torch LIBRARY DESTINATION lib/mlgc COMPONENT mlgc)
endif()

# `find_package(mlgc)`: the target mlgc::runtime has the header of the C ABI, `runtime/mlgc.h`. A compiled model holds its runtime
# itself, so nothing else is to be linked. mlgc::mlgc is the program.
add_library(mlgc_abi INTERFACE)
set_target_properties(mlgc_abi PROPERTIES EXPORT_NAME runtime)
target_include_directories(mlgc_abi INTERFACE "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
install(FILES lib/runtime/mlgc.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/runtime" COMPONENT mlgc)
install(TARGETS mlgc_abi EXPORT mlgc-targets COMPONENT mlgc)
set(package "${CMAKE_INSTALL_LIBDIR}/cmake/mlgc")
install(EXPORT mlgc-targets NAMESPACE mlgc:: DESTINATION "${package}" FILE mlgc-targets.cmake COMPONENT mlgc)
file(WRITE "${CMAKE_BINARY_DIR}/install/mlgc-config.cmake.in"
     "@PACKAGE_INIT@\ninclude(\"\${CMAKE_CURRENT_LIST_DIR}/mlgc-targets.cmake\")\nif(NOT TARGET mlgc::mlgc)\n"
     "  add_executable(mlgc::mlgc IMPORTED)\n"
     "  set_target_properties(mlgc::mlgc PROPERTIES IMPORTED_LOCATION \"@PACKAGE_CMAKE_INSTALL_BINDIR@/mlgc\")\nendif()\n")
configure_package_config_file("${CMAKE_BINARY_DIR}/install/mlgc-config.cmake.in" "${CMAKE_BINARY_DIR}/install/mlgc-config.cmake"
                              INSTALL_DESTINATION "${package}" PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/install/mlgc-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/install/mlgc-config.cmake" "${CMAKE_BINARY_DIR}/install/mlgc-config-version.cmake"
        DESTINATION "${package}" COMPONENT mlgc)

install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT mlgc)
install(FILES README.md DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT mlgc)

# What the program prints of itself.
function(mlgc_printed what name destination)
  set(file "${CMAKE_BINARY_DIR}/install/${name}")
  add_custom_command(OUTPUT "${file}" COMMAND mlgc completion ${what} > "${file}" DEPENDS mlgc VERBATIM)
  add_custom_target(mlgc_printed_${what} ALL DEPENDS "${file}")
  install(FILES "${file}" DESTINATION "${destination}" COMPONENT mlgc)
endfunction()
mlgc_printed(bash mlgc "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
mlgc_printed(zsh _mlgc "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
mlgc_printed(fish mlgc.fish "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
mlgc_printed(man mlgc.1 "${CMAKE_INSTALL_MANDIR}/man1")

# `cpack` in the build folder writes both. The program needs libc, libm and zlib; what it compiles, a C++ compiler.
set(CPACK_GENERATOR "TGZ;DEB")
set(CPACK_PACKAGE_NAME mlgc)
set(CPACK_PACKAGE_VENDOR mlgc)
set(CPACK_PACKAGE_CONTACT "the maintainers of mlgc")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "An ML graph compiler")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL mlgc)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6, zlib1g")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++ (>= 10)")
set(CPACK_STRIP_FILES ON)
include(CPack)
