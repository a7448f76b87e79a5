// See cache.h.
#include "artifact/cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "diag/kinds_artifact.h"
#include "support/byte_size.h"
#include "support/bytes.h"
#include "support/file.h"
#include "support/sha256.h"

namespace mlgc {
namespace {

using Json = nlohmann::ordered_json;
namespace files = std::filesystem;

constexpr std::size_t kMostLookupBytes = std::size_t{256} * 1024;
// What was used, or made, since then may be in use.
constexpr auto kRecent = std::chrono::minutes(10);

std::string wanted_folder() {
  if (const char* folder = std::getenv("MLGC_CACHE"); folder != nullptr && *folder != '\0') return folder;
  if (const char* home = std::getenv("XDG_CACHE_HOME"); home != nullptr && *home == '/')
    return std::string(home) + "/mlgc";
  const char* home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.cache/mlgc" : "";
}

// `512MiB`, `4GiB`; nothing where the text is no such size.
std::optional<std::int64_t> size_from(std::string_view text) {
  return text.ends_with("MiB") || text.ends_with("GiB") ? read_byte_size(text) : std::nullopt;
}

std::string system_text(int error) { return std::strerror(error); }

// Why the folder cannot be used; empty when it can.
std::string make_folder(const std::string& folder) {
  std::error_code error;
  files::create_directories(files::path(folder).parent_path(), error);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return system_text(errno);
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) return system_text(errno);
  if (!S_ISDIR(status.st_mode)) return "it is not a folder";
  if (status.st_uid != ::geteuid()) return "it belongs to another user";
  if ((status.st_mode & 077) != 0) return "others than its owner may use it (fix: chmod 700)";
  for (const char* part : {"/objects", "/tmp"})
    if (::mkdir((folder + part).c_str(), 0700) != 0 && errno != EEXIST) return system_text(errno);
  if (::access((folder + "/tmp").c_str(), W_OK) != 0) return system_text(errno);
  return "";
}

Json to_json(const CacheKey& key) {
  Json json{{"name", key.name}, {"parts", key.parts}};
  if (!key.made_of.empty()) json["made_of"] = Json::object();
  for (const auto& [part, text] : key.made_of)
    json["made_of"][part] = text.size() <= kMostPartBytes ? text : text.substr(0, kMostPartBytes) + "…";
  return json;
}

// Names of files may be in any encoding.
std::string written_out(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

bool read_parts(const Json& json, std::map<std::string, std::string>& parts) {
  if (!json.is_object()) return false;
  for (const auto& [part, text] : json.items()) {
    if (!text.is_string()) return false;
    parts[part] = text.get<std::string>();
  }
  return true;
}

std::optional<CacheKey> key_from(const Json& json) {
  const auto name = json.find("name");
  const auto parts = json.find("parts");
  const auto made_of = json.find("made_of");  // of older entries there is none
  if (name == json.end() || !name->is_string() || parts == json.end()) return std::nullopt;
  CacheKey key{name->get<std::string>(), {}};
  if (!read_parts(*parts, key.parts) || (made_of != json.end() && !read_parts(*made_of, key.made_of)))
    return std::nullopt;
  return key;
}

struct StoredEntry {
  CacheEntry entry;
  std::string sha256;
};

std::optional<StoredEntry> read_entry(const std::string& folder) {
  const Result<std::string> text = read_file(folder + "/entry.json");
  if (!text) return std::nullopt;
  const Json json = Json::parse(*text, nullptr, false);
  std::optional<CacheKey> key = json.is_object() ? key_from(json) : std::nullopt;
  if (!key || !json.contains("bytes") || !json["bytes"].is_number_unsigned() || !json.contains("sha256") ||
      !json["sha256"].is_string())
    return std::nullopt;
  std::error_code gone;
  const files::file_time_type used = files::last_write_time(folder + "/object", gone);
  return StoredEntry{{*std::move(key), files::path(folder).filename().string(), json["bytes"].get<std::uint64_t>(),
                      gone ? 0 : std::chrono::nanoseconds(used.time_since_epoch()).count()},
                     json["sha256"].get<std::string>()};
}

// What is wrong with an entry whose object is `held`; empty when that is what was put in.
std::string verify(const std::string& folder, const std::optional<HeldObject>& held) {
  const std::optional<StoredEntry> stored = read_entry(folder);
  if (!stored) return "entry.json";
  const Result<SharedBytes> object = held ? map_file(held->path) : Failure{std::string()};
  if (!object) return "no object";
  if (object->size() != stored->entry.bytes) return "its length";
  return sha256(object->bytes) == stored->sha256 ? "" : "its hash";
}

// The folders of the cache's entries. A folder that cannot be read to its end yields what was read: no error.
std::vector<files::path> entry_folders(const std::string& cache) {
  std::vector<files::path> found;
  std::error_code error;
  for (files::directory_iterator at(cache + "/objects", error), end; !error && at != end; at.increment(error))
    found.push_back(at->path());
  return found;
}

// What processes that were killed have left in `tmp`.
void remove_left_behind(const std::string& cache) {
  const files::file_time_type recent = files::file_time_type::clock::now() - kRecent;
  std::error_code error;
  for (files::directory_iterator at(cache + "/tmp", error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    if (files::last_write_time(at->path(), gone) <= recent && !gone) files::remove_all(at->path(), gone);
  }
}

// Out of sight at once, whoever reads it meanwhile. Whether the entry is gone; another process may have made it anew.
bool remove_entry(const std::string& cache, const std::string& folder) {
  const Result<ScratchFolder> away = ScratchFolder::make_in(cache + "/tmp", "old-");
  if (away && (::rename(folder.c_str(), away->file("old").c_str()) == 0 || errno == ENOENT)) return true;
  std::error_code error;
  files::remove_all(folder, error);
  return !error;
}

}  // namespace

std::string CacheKey::hash() const {
  Sha256 hash;
  for (const auto& [part, text] : parts) {
    hash.add(part + " " + std::to_string(text.size()) + "\n");
    hash.add(text);
  }
  return hash.finish().substr(0, 32);
}

std::vector<PartChange> changed_parts(const CacheKey& kept, const CacheKey& wanted) {
  std::vector<PartChange> changes;
  const auto compare = [&](const std::map<std::string, std::string>& before,
                           const std::map<std::string, std::string>& now) {
    const auto text = [](const std::map<std::string, std::string>& parts, const std::string& part) {
      const auto found = parts.find(part);
      return found == parts.end() ? std::string() : found->second.substr(0, kMostPartBytes);
    };
    std::map<std::string, std::string> all = before;
    all.insert(now.begin(), now.end());
    for (const auto& [part, ignored] : all)
      if (part != "source" && text(before, part) != text(now, part))
        changes.push_back({part, text(before, part), text(now, part)});
  };
  compare(kept.parts, wanted.parts);
  const std::size_t before = changes.size();
  if (!kept.made_of.empty() && !wanted.made_of.empty()) compare(kept.made_of, wanted.made_of);
  const auto source = [](const CacheKey& key) {
    const auto found = key.parts.find("source");
    return found == key.parts.end() ? std::string() : found->second;
  };
  if (changes.size() == before && source(kept) != source(wanted))
    changes.push_back({"source", source(kept), source(wanted)});
  return changes;
}

Cache Cache::open(DiagnosticEngine& diagnostics) {
  Cache cache;
  const std::string folder = wanted_folder();
  if (folder == "off") return cache;
  if (const char* size = std::getenv("MLGC_CACHE_SIZE"); size != nullptr && *size != '\0') {
    const auto limit = size_from(size);
    if (!limit) {
      diagnostics.emit(diagnose<kCacheSize>({}, size));
      return cache;
    }
    cache.limit_ = static_cast<std::uintmax_t>(*limit);
  }
  const std::string why = folder.empty() ? "HOME is not set" : make_folder(folder);
  if (why.empty())
    cache.folder_ = folder;
  else
    diagnostics.emit(diagnose<kCacheNotUsed>({}, folder, why));
  return cache;
}

std::optional<HeldObject> Cache::find(const CacheKey& key, DiagnosticEngine& diagnostics) const {
  if (!usable()) return std::nullopt;
  const std::string folder = folder_ + "/objects/" + key.hash();
  std::optional<HeldObject> held;
  std::string wrong;
  // What is taken out, or out and put in again, between the two parts of an entry looks damaged once.
  for (int attempt = 0; attempt < 2; ++attempt) {
    held = hold(folder);
    wrong = held || files::exists(folder) ? verify(folder, held) : "";
    if (wrong.empty()) break;
  }
  note(key, held && wrong.empty());
  if (held && wrong.empty()) {
    // Its time is that of its last use.
    (void)::utimensat(AT_FDCWD, held->path.c_str(), nullptr, 0);
    return held;
  }
  // An object that exists and cannot be locked (a full disk, a folder without write permission) is not damaged.
  const bool whole = !held && files::exists(folder + "/object");
  if (!wrong.empty() && !whole && files::exists(folder)) {
    diagnostics.emit(diagnose<kCacheDamaged>({}, key.name, wrong));
    (void)remove_entry(folder_, folder);
  }
  return std::nullopt;
}

std::optional<HeldObject> Cache::hold(const std::string& folder) const {
  Result<ScratchFolder> made = ScratchFolder::make_in(folder_ + "/tmp", "held-");
  if (!made) return std::nullopt;
  HeldObject held{made->file("object"), std::make_shared<ScratchFolder>(*std::move(made))};
  const std::string object = folder + "/object";
  if (::link(object.c_str(), held.path.c_str()) == 0) return held;
  std::error_code error;  // of a file system without links
  if (errno != ENOENT && files::copy_file(object, held.path, error) && !error) return held;
  return std::nullopt;
}

std::optional<HeldObject> Cache::insert(const CacheKey& key, const std::string& file,
                                        DiagnosticEngine& diagnostics) const {
  if (!usable()) return std::nullopt;
  const std::string folder = folder_ + "/objects/" + key.hash();
  std::string made = folder_ + "/tmp/XXXXXX";
  const auto not_kept = [&](const std::string& why) {
    std::error_code ignored;
    files::remove_all(made, ignored);
    diagnostics.emit(diagnose<kCacheNotUsed>({}, folder_, why));
    return std::nullopt;
  };
  if (::mkdtemp(made.data()) == nullptr) return not_kept(system_text(errno));
  const Result<SharedBytes> object = map_file(file);
  if (!object) return not_kept(object.error());
  Json entry = to_json(key);
  entry["bytes"] = object->size();
  entry["sha256"] = sha256(object->bytes);
  if (const Status<> written = write_file(made + "/object", as_text(object->bytes)); !written)
    return not_kept(written.error());
  if (const Status<> written = write_file(made + "/entry.json", written_out(entry, 2) + "\n"); !written)
    return not_kept(written.error());
  // Who came first has made the same.
  if (::rename(made.c_str(), folder.c_str()) != 0) {
    if (errno != EEXIST && errno != ENOTEMPTY) return not_kept(system_text(errno));
    std::error_code ignored;
    files::remove_all(made, ignored);
  }
  trim();
  return hold(folder);
}

void Cache::trim() const {
  remove_left_behind(folder_);
  struct Kept {
    files::file_time_type used;
    std::string folder;
    std::uintmax_t bytes;
  };
  std::vector<Kept> all;
  std::uintmax_t total = 0;
  for (const files::path& folder : entry_folders(folder_)) {
    const files::path object = folder / "object";
    std::error_code gone;
    const std::uintmax_t bytes = files::file_size(object, gone);
    const files::file_time_type used = gone ? files::file_time_type::min() : files::last_write_time(object, gone);
    if (gone) continue;
    all.push_back({used, folder.string(), bytes});
    total += bytes;
  }
  std::ranges::sort(
      all, [](const Kept& a, const Kept& b) { return std::tie(a.used, a.folder) < std::tie(b.used, b.folder); });
  const files::file_time_type recent = files::file_time_type::clock::now() - kRecent;
  for (const Kept& kept : all) {
    if (total <= limit_ || kept.used > recent) return;
    // Another process may have found it since.
    std::error_code gone;
    if (files::last_write_time(files::path(kept.folder) / "object", gone) != kept.used || gone) continue;
    (void)remove_entry(folder_, kept.folder);
    total -= kept.bytes;
  }
}

void Cache::note(const CacheKey& key, bool found) const {
  Json line = to_json(key);
  line["found"] = found;
  const std::string path = folder_ + "/lookups.jsonl";
  const std::string text = written_out(line, -1) + "\n";
  // One write of one line: lines of two processes do not mix. A log that cannot be written is no reason to fail.
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (descriptor < 0) return;
  const ssize_t written = ::write(descriptor, text.data(), text.size());
  struct stat status {};
  const bool long_enough =
      written > 0 && ::fstat(descriptor, &status) == 0 && static_cast<std::size_t>(status.st_size) > kMostLookupBytes;
  ::close(descriptor);
  if (!long_enough) return;
  const Result<std::string> all = read_file(path);
  if (all) (void)write_file(path, all->substr(all->find('\n', all->size() / 2) + 1));
}

std::optional<CacheEntry> Cache::peek(const CacheKey& key) const {
  if (!usable()) return std::nullopt;
  std::optional<StoredEntry> stored = read_entry(folder_ + "/objects/" + key.hash());
  return stored ? std::optional(std::move(stored->entry)) : std::nullopt;
}

std::optional<CacheEntry> Cache::nearest(const CacheKey& key) const {
  if (!usable()) return std::nullopt;
  std::optional<CacheEntry> best;
  std::size_t least = 0;
  const auto model = key.made_of.find("model");
  for (CacheEntry& entry : entries()) {
    const auto other = entry.key.made_of.find("model");
    const bool same_model =
        model != key.made_of.end() && other != entry.key.made_of.end() && other->second == model->second;
    if (entry.key.name != key.name && !same_model) continue;
    const std::size_t count = changed_parts(entry.key, key).size();
    if (best && (count > least || (count == least && entry.used <= best->used))) continue;
    least = count;
    best = std::move(entry);
  }
  return best;
}

std::string miss_text(const Cache& cache, const CacheKey& key) {
  if (!cache.usable()) return "there is no cache";
  const std::optional<CacheEntry> nearest = cache.nearest(key);
  if (!nearest) return "nothing of `" + key.name + "` is kept";
  std::string text = "nearest is " + nearest->hash.substr(0, 12);
  const auto shown = [](const std::string& part) { return part.empty() ? "nothing" : part; };
  const std::vector<PartChange> changes = changed_parts(nearest->key, key);
  for (const PartChange& change : changes)
    text += std::string(&change == changes.data() ? "; " : ", ") + change.part + ": " + shown(change.kept) +
            " there, " + shown(change.wanted) + " now";
  return text;
}

std::vector<CacheEntry> Cache::entries() const {
  std::vector<CacheEntry> entries;
  for (const files::path& folder : entry_folders(folder_))
    if (std::optional<StoredEntry> stored = read_entry(folder.string())) entries.push_back(std::move(stored->entry));
  std::ranges::sort(entries, [](const CacheEntry& a, const CacheEntry& b) {
    return std::tie(a.key.name, a.hash) < std::tie(b.key.name, b.hash);
  });
  return entries;
}

std::vector<CacheLookup> Cache::lookups() const {
  std::vector<CacheLookup> lookups;
  const Result<std::string> text = read_file(folder_ + "/lookups.jsonl");
  if (!text) return lookups;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    const Json json = Json::parse(line, nullptr, false);
    std::optional<CacheKey> key = json.is_object() ? key_from(json) : std::nullopt;
    if (!key) continue;
    std::string hash = key->hash();
    lookups.push_back({*std::move(key), std::move(hash), json.value("found", false)});
  }
  return lookups;
}

Result<std::size_t> Cache::clear(const std::optional<std::string>& name) const {
  std::size_t count = 0;
  for (const files::path& folder : entry_folders(folder_)) {
    const std::optional<StoredEntry> stored = read_entry(folder.string());
    if (name && (!stored || stored->entry.key.name != *name)) continue;
    if (!remove_entry(folder_, folder.string())) return Failure{folder.string() + ": cannot be removed"};
    ++count;
  }
  if (!name) {
    remove_left_behind(folder_);
    std::error_code error;
    files::remove(folder_ + "/lookups.jsonl", error);
  }
  return count;
}

}  // namespace mlgc
