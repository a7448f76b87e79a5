// Stack traces and module stacks of exported graphs; see locations.h.
#include "import/program/locations.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace mlgc::program {

namespace {

constexpr std::array<std::string_view, 2> kPackageFolders{"/site-packages/", "/dist-packages/"};

// The part below a package folder; empty when there is none.
std::string_view below_packages(std::string_view path) {
  for (const std::string_view folder : kPackageFolders)
    if (const std::size_t at = path.rfind(folder); at != std::string_view::npos) return path.substr(at + folder.size());
  return {};
}

std::string shortened(std::string_view path) {
  if (const std::string_view inside = below_packages(path); !inside.empty()) return std::string(inside);
  const std::size_t file = path.rfind('/');
  if (file == std::string_view::npos) return std::string(path);
  const std::string_view folders = path.substr(0, file);
  const std::size_t folder = folders.rfind('/');
  const std::string_view parent = folder == std::string_view::npos ? folders : folders.substr(folder + 1);
  const bool telling =
      !parent.empty() && parent != "tmp" && parent != "." && folder != std::string_view::npos && folder > 0;
  return std::string(telling ? path.substr(folder + 1) : path.substr(file + 1));
}

}  // namespace

UserFrame innermost_user_frame(std::string_view stack_trace) {
  UserFrame found;
  constexpr std::string_view kFile = "File \"";
  constexpr std::string_view kLine = "\", line ";
  while (!stack_trace.empty()) {
    const std::size_t end = std::min(stack_trace.find('\n'), stack_trace.size());
    std::string_view line = stack_trace.substr(0, end);
    stack_trace.remove_prefix(std::min(end + 1, stack_trace.size()));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (!line.starts_with(kFile)) continue;
    line.remove_prefix(kFile.size());
    const std::size_t quote = line.find(kLine);
    if (quote == std::string_view::npos) continue;
    const std::string_view path = line.substr(0, quote);
    const std::string_view number = line.substr(quote + kLine.size());
    std::uint32_t value = 0;
    if (std::from_chars(number.data(), number.data() + number.size(), value).ec != std::errc{} || value == 0) continue;
    if (below_packages(path).starts_with("torch/")) continue;
    found = {shortened(path), value};
  }
  return found;
}

std::string module_path(std::string_view module_stack) {
  // Entries `key,path,class` are separated by `;`, outermost first.
  const std::size_t last = module_stack.rfind(';');
  const std::string_view entry = last == std::string_view::npos ? module_stack : module_stack.substr(last + 1);
  const std::size_t first_comma = entry.find(',');
  if (first_comma == std::string_view::npos) return {};
  const std::string_view rest = entry.substr(first_comma + 1);
  return std::string(rest.substr(0, std::min(rest.find(','), rest.size())));
}

std::string_view short_target(std::string_view target) {
  constexpr std::string_view kPrefix = "torch.ops.";
  return target.starts_with(kPrefix) ? target.substr(kPrefix.size()) : target;
}

Location location_of(const Node& node, LocationTable& locations) {
  const UserFrame frame = innermost_user_frame(node.stack_trace);
  const Location user = frame.line == 0 ? Location{} : locations.position(frame.file, frame.line, 1);
  const std::string path = module_path(node.module_stack);
  return locations.origin({path, "call_function", short_target(node.target), node.name}, user);
}

}  // namespace mlgc::program
