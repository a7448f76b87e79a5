# mlgc::logging: spdlog and fmt as headers only. Guarantees that a program using it loads neither libspdlog nor libfmt
# (each costs start-up time), whichever way the distribution built them. Only lib/driver links it; no translation unit
# may include both this and LibTorch, whose wheel carries another fmt.
include_guard()

add_library(mlgc_logging INTERFACE)
add_library(mlgc::logging ALIAS mlgc_logging)
find_package(Threads REQUIRED)
get_target_property(mlgc_spdlog_include spdlog::spdlog_header_only INTERFACE_INCLUDE_DIRECTORIES)
target_include_directories(mlgc_logging SYSTEM INTERFACE ${mlgc_spdlog_include})
get_target_property(mlgc_spdlog_definitions spdlog::spdlog_header_only INTERFACE_COMPILE_DEFINITIONS)
if(mlgc_spdlog_definitions)
  target_compile_definitions(mlgc_logging INTERFACE ${mlgc_spdlog_definitions})
endif()
target_link_libraries(mlgc_logging INTERFACE Threads::Threads)
if(TARGET fmt::fmt-header-only)
  target_link_libraries(mlgc_logging INTERFACE fmt::fmt-header-only)
endif()
