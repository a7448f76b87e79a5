// mlgc explain cache: what a compiled model is kept under, whether it is, and what differs from what is.
#include <memory>
#include <nlohmann/json.hpp>

#include "artifact/cache.h"
#include "compile/compile_model.h"
#include "diag/kinds_driver.h"
#include "driver/arguments.h"
#include "driver/compiler_flags.h"
#include "driver/emit_flags.h"
#include "ops/op_table.h"
#include "support/byte_size.h"
#include "text/module_report.h"

namespace mlgc {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kExplainCacheExamples =
    "  mlgc explain cache model.pt2                   the parts of the key, and whether the cache has it\n"
    "  mlgc explain cache model.pt2 -O1               what differs from the nearest that it has: -O2 there, -O1 now\n"
    "  mlgc compile model.pt2 -v                      the same in one line, where the cache does not have it\n"
    "  mlgc cache why                                 the same of the last model that was looked for\n"
    "Flags are those of mlgc compile. Nothing is compiled, and nothing in the cache is touched.\n";

struct Answer {
  std::string folder;  // empty: there is no cache
  CacheKey key;
  std::optional<CacheEntry> kept, nearest;
};

std::string short_hash(const std::string& hash) { return hash.substr(0, 12); }

std::string answer_text(const Answer& answer) {
  std::string out = answer.key.name + " (" + short_hash(answer.key.hash()) + "): ";
  if (answer.kept)
    out += "kept, " + byte_size_text(static_cast<std::int64_t>(answer.kept->bytes)) + "\n";
  else
    out += answer.folder.empty() ? "not kept, there is no cache\n" : "not kept\n";
  ReportTable table;
  for (const auto& [part, text] : answer.key.parts) table.rows.push_back({part, text.empty() ? "any" : text});
  table.append_to(out, "  ");
  out += "The source is made of\n";
  table.rows.clear();
  for (const auto& [part, text] : answer.key.made_of) table.rows.push_back({part, text});
  table.append_to(out, "  ");
  if (answer.kept || answer.folder.empty()) return out;
  if (!answer.nearest) return out + "Nothing of this model is kept.\n";
  out += "The nearest that is kept, " + answer.nearest->key.name + " (" + short_hash(answer.nearest->hash) + "), has\n";
  table.rows.clear();
  const auto shown = [](const std::string& text) { return text.empty() ? "nothing" : text; };
  for (const PartChange& change : changed_parts(answer.nearest->key, answer.key))
    table.rows.push_back({change.part, shown(change.kept) + ", now " + shown(change.wanted)});
  table.append_to(out, "  ");
  return out;
}

std::string answer_json(const Answer& answer) {
  Json json{{"version", 1},
            {"folder", answer.folder},
            {"name", answer.key.name},
            {"key", answer.key.hash()},
            {"kept", answer.kept.has_value()}};
  if (answer.kept) json["bytes"] = answer.kept->bytes;
  json["parts"] = answer.key.parts;
  json["made_of"] = answer.key.made_of;
  if (!answer.kept && answer.nearest) {
    json["nearest"] = {{"name", answer.nearest->key.name}, {"key", answer.nearest->hash}, {"changes", Json::array()}};
    for (const PartChange& change : changed_parts(answer.nearest->key, answer.key))
      json["nearest"]["changes"].push_back({{"part", change.part}, {"kept", change.kept}, {"wanted", change.wanted}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

ExitCode run_explain_cache(const Words& words) {
  Arguments arguments("explain cache",
                      "Says what a compiled model is kept under in the cache, whether it is, and if not, what differs\n"
                      "from the nearest that is.",
                      kExplainCacheExamples);
  EmitFlags flags;
  CompileOptions options;
  CompilerFlags compiler;
  ReportFormat format = ReportFormat::Text;
  flags.vectors.fallback = kNativeVectors;
  add_emit_flags(arguments, flags, true);
  add_limit_flags(arguments, flags);
  add_level_flags(arguments, flags.level);
  add_target_flags(arguments, flags);
  add_compiler_flags(arguments, compiler);
  add_vector_bytes_flag(arguments, flags.vectors, "The vectors of kernels, as mlgc compile has them");
  arguments.add_format_flag(format, "--format", "How the report is written");
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  const Console& console = arguments.console();
  if (auto wrong = read_emit_flags(flags, "explain cache")) return console.report(*std::move(wrong));
  if (auto wrong = read_compiler_flags(compiler, *flags.emit.target, options.compiler))
    return console.report(*std::move(wrong));
  options.vector_bytes = flags.vectors.bytes();
  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics(context->locations(), console.error_limit);
  const std::optional<EmittedModel> model = emit_from_flags(flags, context, diagnostics);
  if (!model) return console.report(diagnostics);
  Result<CacheKey, Diagnostic> key = cache_key(*model, options);
  if (!key) return console.report(context->locations(), std::move(key).error());
  const Cache cache = Cache::open(diagnostics);
  Answer answer{cache.folder(), *std::move(key), {}, {}};
  answer.kept = cache.peek(answer.key);
  if (!answer.kept) answer.nearest = cache.nearest(answer.key);
  if (const Status<> written =
          write_product("-", format == ReportFormat::Json ? answer_json(answer) : answer_text(answer));
      !written)
    diagnostics.emit(diagnose<kCannotWrite>({}, written.error()));
  return console.report(diagnostics);
}

}  // namespace mlgc
