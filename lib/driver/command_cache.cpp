// mlgc cache: what was compiled and is kept, and why something was compiled again.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "artifact/cache.h"
#include "diag/kinds_artifact.h"
#include "diag/kinds_driver.h"
#include "driver/arguments.h"

namespace mlgc {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kCacheExamples =
    "  mlgc cache list                     name, size and key of each entry\n"
    "  mlgc cache why mlp                  what differed when mlp was compiled again\n"
    "  mlgc cache clear mlp                removes what was compiled for mlp\n"
    "  mlgc cache clear                    removes everything\n"
    "The folder is MLGC_CACHE, else XDG_CACHE_HOME/mlgc, else ~/.cache/mlgc; MLGC_CACHE=off is none.\n"
    "It keeps up to MLGC_CACHE_SIZE (512MiB, 4GiB; default 1GiB): what was not used for longest goes first.\n";

std::string list_text(const std::vector<CacheEntry>& entries) {
  std::string text;
  for (const CacheEntry& entry : entries) {
    const auto compiler = entry.key.parts.find("compiler");
    text += entry.hash.substr(0, 12) + "  " + std::to_string(entry.bytes) + " bytes  " + entry.key.name + "  " +
            (compiler == entry.key.parts.end() ? "" : compiler->second) + "\n";
  }
  return text;
}

std::string list_json(const Cache& cache) {
  Json json{{"version", 1}, {"folder", cache.folder()}, {"entries", Json::array()}};
  for (const CacheEntry& entry : cache.entries())
    json["entries"].push_back({{"key", entry.hash},
                               {"name", entry.key.name},
                               {"bytes", entry.bytes},
                               {"parts", entry.key.parts},
                               {"made_of", entry.key.made_of}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Why the last of `lookups` (newest last, all of one name) went as it did.
std::string why_text(std::span<const CacheLookup> lookups) {
  const CacheLookup& last = lookups.back();
  const std::string start = last.key.name + " (" + last.hash.substr(0, 12) + "): ";
  if (last.found) return start + "found\n";
  const CacheLookup* nearest = nullptr;
  std::size_t least = 0;
  for (const CacheLookup& earlier : lookups.first(lookups.size() - 1)) {
    const std::size_t count = changed_parts(earlier.key, last.key).size();
    if (nearest != nullptr && count > least) continue;
    nearest = &earlier;
    least = count;
  }
  if (nearest == nullptr) return start + "not found: it is the first of this name\n";
  if (least == 0) return start + "not found, though it was compiled before: it was removed or damaged\n";
  std::string text =
      start + "not found; against " + nearest->hash.substr(0, 12) + ", the nearest one before, differs\n";
  const auto shown = [](const std::string& part) { return part.empty() ? "(nothing)" : part; };
  for (const PartChange& change : changed_parts(nearest->key, last.key))
    text += "  " + change.part + ": " + shown(change.kept) + " -> " + shown(change.wanted) + "\n";
  return text;
}

}  // namespace

ExitCode run_cache(const Words& words) {
  Arguments arguments("cache", "Shows and clears what was compiled and is kept.", kCacheExamples);
  std::string action;
  std::string name;
  ReportFormat format = ReportFormat::Text;
  arguments.add_positional("action", action, "list|why|clear", "What to do", true);
  arguments.add_positional("name", name, "NAME", "Of a model; all of them without it (why: the last one)");
  arguments.add_format_flag(format, "--format", "How the report is written: that of list");
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  const Console& console = arguments.console();
  if (action != "list" && action != "why" && action != "clear")
    return console.report(diagnose<kBadFlag>({}, "`" + action + "` is none of list|why|clear", "cache"));
  if (action == "list" && !name.empty()) return console.report(diagnose<kUnexpectedArgument>({}, name, "cache"));

  const LocationTable locations;
  DiagnosticEngine diagnostics(locations);
  const Cache cache = Cache::open(diagnostics);
  if (!cache.usable()) return console.report(diagnostics);
  std::string text;
  if (action == "list") {
    text = format == ReportFormat::Json ? list_json(cache) : list_text(cache.entries());
  } else if (action == "clear") {
    const Result<std::size_t> count = cache.clear(name.empty() ? std::nullopt : std::optional(name));
    if (!count) return console.report(diagnose<kCannotWrite>({}, count.error()));
    if (*count == 0 && !name.empty()) return console.report(diagnose<kCacheUnknown>({}, cache.folder(), name));
    text = "removed " + std::to_string(*count) + (*count == 1 ? " entry\n" : " entries\n");
  } else {
    std::vector<CacheLookup> lookups = cache.lookups();
    // The runtime, in brackets, belongs to no model.
    if (name.empty())
      for (const CacheLookup& lookup : lookups)
        if (!lookup.key.name.starts_with('(')) name = lookup.key.name;
    std::erase_if(lookups, [&](const CacheLookup& lookup) { return lookup.key.name != name; });
    if (lookups.empty()) return console.report(diagnose<kCacheUnknown>({}, cache.folder(), name));
    text = why_text(lookups);
  }
  const Status<> written = write_product("-", text);
  return written ? ExitCode::Ok : console.report(diagnose<kCannotWrite>({}, written.error()));
}

}  // namespace mlgc
