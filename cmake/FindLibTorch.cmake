# Finds LibTorch inside an installed `torch` wheel, CPU or CUDA, without importing it and without torch's own CMake
# package (which would enable CUDA, look for MKL and kineto, and change flags of the whole folder).
#
#   LIBTORCH_ROOT      folder that holds include/ and lib/; empty: asked from MLGC_PYTHON, then python3
#   LibTorch_FOUND, LibTorch_VERSION
#   LibTorch::LibTorch headers and the two libraries that suffice: torch_cpu and c10
#
# The include folder also holds other versions of fmt and pybind11 than the system's: a translation unit that includes
# LibTorch includes neither spdlog nor fmt.

set(LIBTORCH_ROOT "" CACHE PATH "Folder with LibTorch's include/ and lib/; empty: look into Python's packages")
set(LibTorch_roots "${LIBTORCH_ROOT}")
if(NOT LIBTORCH_ROOT)
  set(LibTorch_roots "")
  find_program(LibTorch_PYTHON3 python3)
  mark_as_advanced(LibTorch_PYTHON3)
  foreach(python "${MLGC_PYTHON}" "${CMAKE_SOURCE_DIR}/.venv/bin/python" "${LibTorch_PYTHON3}")
    if(python AND EXISTS "${python}")
      execute_process(
        COMMAND "${python}" -c "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])"
        OUTPUT_VARIABLE LibTorch_package OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE LibTorch_status)
      if(LibTorch_status EQUAL 0)
        list(APPEND LibTorch_roots "${LibTorch_package}")
      endif()
    endif()
  endforeach()
endif()

# Not cached: a venv that setup has just made, or a removed one, is seen by the next configure.
foreach(variable LibTorch_INCLUDE_DIR LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY)
  unset(${variable})
  unset(${variable} CACHE)
endforeach()
foreach(root IN LISTS LibTorch_roots)
  if(NOT LibTorch_INCLUDE_DIR)
    find_path(LibTorch_INCLUDE_DIR ATen/core/Tensor.h PATHS "${root}/include" NO_DEFAULT_PATH NO_CACHE)
    find_library(LibTorch_CPU_LIBRARY torch_cpu PATHS "${root}/lib" NO_DEFAULT_PATH NO_CACHE)
    find_library(LibTorch_C10_LIBRARY c10 PATHS "${root}/lib" NO_DEFAULT_PATH NO_CACHE)
  endif()
endforeach()

set(LibTorch_version_file "${LibTorch_INCLUDE_DIR}/torch/headeronly/version.h")
if(LibTorch_INCLUDE_DIR AND EXISTS "${LibTorch_version_file}")
  set(LibTorch_VERSION "")
  foreach(part MAJOR MINOR PATCH)
    file(STRINGS "${LibTorch_version_file}" line REGEX "^#define TORCH_VERSION_${part} +[0-9]+")
    string(REGEX MATCH "[0-9]+$" number "${line}")
    list(APPEND LibTorch_VERSION "${number}")
  endforeach()
  list(JOIN LibTorch_VERSION "." LibTorch_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY LibTorch_INCLUDE_DIR
  VERSION_VAR LibTorch_VERSION)

if(LibTorch_FOUND AND NOT TARGET LibTorch::LibTorch)
  foreach(part CPU C10)
    add_library(LibTorch::${part} SHARED IMPORTED)
    set_target_properties(LibTorch::${part} PROPERTIES
      IMPORTED_LOCATION "${LibTorch_${part}_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${LibTorch_INCLUDE_DIR};${LibTorch_INCLUDE_DIR}/torch/csrc/api/include")
  endforeach()
  add_library(LibTorch::LibTorch INTERFACE IMPORTED)
  set_target_properties(LibTorch::LibTorch PROPERTIES
    INTERFACE_LINK_LIBRARIES "LibTorch::CPU;LibTorch::C10"
    INTERFACE_COMPILE_FEATURES cxx_std_20)
endif()
