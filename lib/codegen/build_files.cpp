// See build_files.h.
#include "codegen/build_files.h"

namespace mlgc::codegen {

std::string cmake_text(const EmittedFolder& folder, const CmakeProject& project) {
  // A target of its own name: some, such as `test`, are CMake's.
  const std::string target = "mlgc_" + folder.name;
  std::string text =
      "# The model `" + folder.name + "` as a shared library that needs " + std::string(project.needs) + " alone.\n";
  text += "cmake_minimum_required(VERSION " + std::string(project.minimum) + ")\n";
  text += "project(" + folder.name + " " + std::string(project.languages) + ")\n";
  text += R"(if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
file(GLOB runtime runtime/*.cpp)
)";
  text += "add_library(" + target + " SHARED " + source_list(folder) + " ${runtime})\n";
  text += "target_include_directories(" + target + " PUBLIC \"${CMAKE_CURRENT_SOURCE_DIR}\")\n";
  text += "target_compile_features(" + target + " PRIVATE cxx_std_17)\n";
  text += "target_compile_options(" + target + " PRIVATE " + std::string(project.options) + ")\n";
  text += "target_link_libraries(" + target + " PRIVATE Threads::Threads ${CMAKE_DL_LIBS})\n";
  text += "set_target_properties(" + target + " PROPERTIES OUTPUT_NAME " + folder.name + project.properties + ")\n";
  if (folder.has_weights)
    text += R"(# Weights are found beside the library.
file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}/weights.safetensors" "${CMAKE_CURRENT_BINARY_DIR}/weights.safetensors" SYMBOLIC)
)";
  return text;
}

std::string source_list(const EmittedFolder& folder) {
  std::string names;
  for (const std::string& source : folder.sources) names += (names.empty() ? "" : " ") + source;
  return names;
}

std::string weights_line(const EmittedFolder& folder) {
  return folder.has_weights
             ? "- `weights.safetensors` holds weights and the first values of states. It is looked for beside the "
               "library.\n"
             : "";
}

}  // namespace mlgc::codegen
