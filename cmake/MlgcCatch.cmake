# Catch2 v2.13 or v3 as the target named by MLGC_CATCH. Guarantees one also where the package brings only the
# headers: main() is then compiled from test/unit/catch_main.cpp.
include_guard()

find_package(Catch2 REQUIRED)
include(Catch)
option(MLGC_OWN_CATCH_MAIN "Compile Catch2's main() here although the package has one" OFF)
if(MLGC_OWN_CATCH_MAIN OR NOT TARGET Catch2::Catch2WithMain)
  add_library(mlgc_catch_main STATIC "${CMAKE_SOURCE_DIR}/test/unit/catch_main.cpp")
  target_link_libraries(mlgc_catch_main PUBLIC Catch2::Catch2)
  set(MLGC_CATCH mlgc_catch_main)
else()
  set(MLGC_CATCH Catch2::Catch2WithMain)
endif()
