// What was compiled, kept by the hash of all that went into it.
//
// Guarantees
//   - An entry is used only when its bytes have the hash that was noted when it was made.
//   - The folder is its user's alone (0700, owner checked); another one is not used, with a warning that says why.
//   - An entry appears whole, by a rename: processes that make the same one at once both succeed, and whoever is killed
//     leaves no half of one.
//   - A cache that cannot be used never fails a command, nor does one that is cleared meanwhile: what was found or put
//   in
//     stays as long as it is held, and who finds nothing any more compiles again.
//   - It stays below its limit: what was not used for longest goes first, but nothing that was used in the last ten
//     minutes, which someone may be loading.
//
//     FOLDER/objects/<key>/{object,entry.json}    FOLDER/lookups.jsonl: the last lookups
//     FOLDER/tmp/: being made, and links to what is held
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "support/result.h"
#include "support/scratch_folder.h"

namespace mlgc {

// What an object is made of, part by part (`source`, `flags`, `compiler`, `runtime`): equal parts give equal objects.
struct CacheKey {
  std::string name;                          // of the model; no part of the key
  std::map<std::string, std::string> parts;  // texts or hashes, short enough to be shown
  // What the part `source` follows from (`model`, `passes`, `mlgc`), kept to say why another one is wanted: no part of
  // the key. Each is cut to kMostPartBytes.
  std::map<std::string, std::string> made_of = {};
  [[nodiscard]] std::string hash() const;
};
// Bounds what an entry records; a longer part is compared by its first bytes.
inline constexpr std::size_t kMostPartBytes = 256;

// A part that differs, or what the source is made of.
struct PartChange {
  std::string part, kept, wanted;  // empty: it has none
};
// In the order of the alphabet; `source` last, and only where nothing that it is made of says more.
[[nodiscard]] std::vector<PartChange> changed_parts(const CacheKey& kept, const CacheKey& wanted);

struct CacheEntry {
  CacheKey key;
  std::string hash;
  std::uint64_t bytes = 0;
  std::int64_t used = 0;  // when last, in nanoseconds of the file system's clock
};

// One time that something was looked for.
struct CacheLookup {
  CacheKey key;
  std::string hash;
  bool found = false;
};

// An object of the cache, at a path of its own that goes with `folder`.
struct HeldObject {
  std::string path;
  std::shared_ptr<ScratchFolder> folder;
};

class Cache {
 public:
  // MLGC_CACHE, else XDG_CACHE_HOME/mlgc, else ~/.cache/mlgc; `off` is no cache. The folder is made where there is
  // none. MLGC_CACHE_SIZE is the limit, `512MiB` or `4GiB`; 1 GiB where it is not set.
  [[nodiscard]] static Cache open(DiagnosticEngine& diagnostics);

  [[nodiscard]] bool usable() const { return !folder_.empty(); }
  [[nodiscard]] const std::string& folder() const { return folder_; }

  // An object that is what was put in; nothing otherwise.
  [[nodiscard]] std::optional<HeldObject> find(const CacheKey& key, DiagnosticEngine& diagnostics) const;
  // Puts a copy of a file in and gives it back; nothing, and a warning, when it cannot be kept; nothing when another
  // process has taken it out already.
  [[nodiscard]] std::optional<HeldObject> insert(const CacheKey& key, const std::string& file,
                                                 DiagnosticEngine& diagnostics) const;

  // Whether something is kept for the key. It is not looked at, and this is no use of it.
  [[nodiscard]] std::optional<CacheEntry> peek(const CacheKey& key) const;
  // Of the model's name, or made of the same model, the one that differs in the fewest parts, of several the last that
  // was used; nothing where there is none.
  [[nodiscard]] std::optional<CacheEntry> nearest(const CacheKey& key) const;
  // Sorted by name, then hash; what cannot be read is left out.
  [[nodiscard]] std::vector<CacheEntry> entries() const;
  // Newest last.
  [[nodiscard]] std::vector<CacheLookup> lookups() const;
  // Removes the entries of this name, or all with the lookups; their number. What processes use stays for them.
  [[nodiscard]] Result<std::size_t> clear(const std::optional<std::string>& name) const;

 private:
  // A link to the object of an entry; nothing when there is none.
  [[nodiscard]] std::optional<HeldObject> hold(const std::string& folder) const;
  void note(const CacheKey& key, bool found) const;
  // Down to the limit, with what killed processes have left.
  void trim() const;

  std::string folder_;                              // empty: there is none
  std::uintmax_t limit_ = std::uintmax_t{1} << 30;  // bytes of objects
};

// Why nothing is kept for the key, in one line: `passes: -O2 there, -O1 now`.
[[nodiscard]] std::string miss_text(const Cache& cache, const CacheKey& key);

}  // namespace mlgc
