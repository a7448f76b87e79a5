# The golden tests: lit over test/, as the ctest `golden`, and `golden-can-fail`, which holds that a driver printing an
# empty module fails every test that compares text. Without lit both are reported as skipped, with the reason.
include_guard()

set(MLGC_PYTHON "" CACHE FILEPATH "Python with numpy, safetensors and torch for tests; empty: .venv's, else python3")
set(MLGC_TEST_PYTHON "${MLGC_PYTHON}")
if(NOT MLGC_TEST_PYTHON)
  set(MLGC_TEST_PYTHON "${Python3_EXECUTABLE}")
  if(EXISTS "${CMAKE_SOURCE_DIR}/.venv/bin/python")
    set(MLGC_TEST_PYTHON "${CMAKE_SOURCE_DIR}/.venv/bin/python")
  endif()
endif()
find_program(MLGC_FILECHECK NAMES FileCheck-19 FileCheck FileCheck-20 FileCheck-18 FileCheck-17 FileCheck-16)
find_program(MLGC_NOT NAMES not-19 not not-20 not-18 not-17 not-16
             HINTS /usr/lib/llvm-19/bin /usr/lib/llvm-20/bin /usr/lib/llvm-18/bin /usr/lib/llvm-17/bin /usr/lib/llvm-16/bin)
find_program(MLGC_MLIR_OPT NAMES mlir-opt-19 mlir-opt-20 mlir-opt)

if(NOT TARGET mlgc)
  message(STATUS "tools/mlgc is not in this tree: no golden tests")
  return()
endif()
set(MLGC_DRIVER "$<TARGET_FILE:mlgc>")
configure_file("${CMAKE_SOURCE_DIR}/test/lit.site.cfg.py.in" "${CMAKE_BINARY_DIR}/test/lit.site.cfg.py.gen" @ONLY)
file(GENERATE OUTPUT "${CMAKE_BINARY_DIR}/test/lit.site.cfg.py" INPUT "${CMAKE_BINARY_DIR}/test/lit.site.cfg.py.gen")

# In two parts: the folders whose tests compile C++ or run PyTorch, and all others, in seconds.
set(MLGC_GOLDENS "")
set(MLGC_SLOW_GOLDENS "")
file(GLOB folders CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/test/*")
foreach(path IN LISTS folders)
  file(GLOB_RECURSE tests "${path}/*.mlir" "${path}/*.test" "${path}/*.rules")
  get_filename_component(folder "${path}" NAME)
  if(NOT tests OR folder MATCHES "^(unit|scripts|tools|layering|fuzz)$")
    continue()
  elseif(folder MATCHES "^(bench|cache|compare|compile|cuda|emit|eval|grad|run|training)$")
    list(APPEND MLGC_SLOW_GOLDENS "${path}")
  else()
    list(APPEND MLGC_GOLDENS "${path}")
  endif()
endforeach()
set(run_goldens "${CMAKE_SOURCE_DIR}/scripts/run-goldens" --build "${CMAKE_BINARY_DIR}" --python "${MLGC_TEST_PYTHON}")
mlgc_check(golden TEST WholeLines COMMAND ${run_goldens} ${MLGC_GOLDENS})
mlgc_check(golden-compiled COMMAND ${run_goldens} ${MLGC_SLOW_GOLDENS})
mlgc_check(golden-can-fail TEST Goldens COMMAND "${CMAKE_SOURCE_DIR}/scripts/check-goldens-can-fail" --build
           "${CMAKE_BINARY_DIR}" --python "${MLGC_TEST_PYTHON}")
set_tests_properties(golden PROPERTIES LABELS "golden;quick")
set_tests_properties(golden-compiled PROPERTIES LABELS golden)
# All of them write below test/lit of the build folder; lit runs a test on each core.
set_tests_properties(golden golden-finds-planted golden-compiled golden-can-fail golden-can-fail-finds-planted
                     PROPERTIES RESOURCE_LOCK lit)
set_tests_properties(golden golden-compiled golden-can-fail PROPERTIES PROCESSORS 2)
