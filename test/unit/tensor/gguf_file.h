// GGUF files by hand, for tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/bytes.h"

namespace gguf_test {

inline std::string text(std::string_view content) {
  std::string out;
  mlgc::append_little_endian<std::uint64_t>(out, content.size());
  return out.append(content);
}

// A pair of metadata: the value's bytes as they are in the file.
inline std::string pair(std::string_view key, std::uint32_t type, std::string_view value) {
  std::string out = text(key);
  mlgc::append_little_endian<std::uint32_t>(out, type);
  return out.append(value);
}

template <class T>
std::string number(T value) {
  std::string out;
  mlgc::append_little_endian<T>(out, value);
  return out;
}

struct File {
  std::uint32_t version = 3;
  std::vector<std::string> pairs;
  struct Entry {
    std::string name;
    std::vector<std::uint64_t> sizes;  // the innermost first
    std::uint32_t type = 0;
    std::uint64_t offset = 0;
  };
  std::vector<Entry> tensors;
  std::string data;
  std::uint64_t alignment = 32;

  // Without data.
  [[nodiscard]] std::string head() const {
    std::string out =
        "GGUF" + number(version) + number<std::uint64_t>(tensors.size()) + number<std::uint64_t>(pairs.size());
    for (const std::string& entry : pairs) out += entry;
    for (const Entry& entry : tensors) {
      out += text(entry.name) + number(static_cast<std::uint32_t>(entry.sizes.size()));
      for (const std::uint64_t size : entry.sizes) out += number(size);
      out += number(entry.type) + number(entry.offset);
    }
    return out;
  }
  [[nodiscard]] std::string bytes() const {
    std::string out = head();
    if (!data.empty()) out.append((alignment - out.size() % alignment) % alignment, '\0');
    return out + data;
  }
};

}  // namespace gguf_test
