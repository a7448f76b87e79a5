// mlgc quantize: weights as integers with scales, and what that costs in accuracy.
#include <array>
#include <cmath>
#include <filesystem>

#include "diag/kinds_driver.h"
#include "driver/arguments.h"
#include "driver/input_flags.h"
#include "driver/load.h"
#include "driver/model_flags.h"
#include "execution/module_data.h"
#include "import/import_model.h"
#include "interp/function_results.h"
#include "ir/function.h"
#include "ops/op_table.h"
#include "support/activity.h"
#include "text/printer.h"
#include "transforms/quantize_weights.h"
#include "transforms/run_passes.h"

namespace mlgc {
namespace {

constexpr std::string_view kQuantizeExamples =
    "  mlgc quantize model.pt2 --dtype=int8 -o model.q.mlir           a scale for each row of a weight\n"
    "  mlgc quantize llm.mlir --dtype=int4 --group=32 -o llm.q.mlir   a scale for 32 numbers, two in a byte\n"
    "  mlgc quantize llm.mlir --dtype=int8 --group=32                 the report alone: the error of each weight\n"
    "  mlgc quantize llm.mlir --dtype=int8 --input=@in.npz -o llm.q.mlir   the error of the results, too\n"
    "  mlgc compile llm.q.mlir -o llm.mlgcx                           integers and scales are in the artefact\n"
    "Weights of linear layers and tables of embeddings are quantised, as the pass `quantize-weights` does\n"
    "(`mlgc passes quantize-weights`); the report says why others are not. Errors are norms of differences, divided\n"
    "by norms of the floats.\n";

struct QuantizeFlags {
  std::string input = "-", output;
  std::int64_t bits = 8;
  std::optional<std::uint64_t> group;
  DataOptions data;
  InputFlags run;
};

constexpr std::uint64_t kUsualGroup = 32;  // of 4 bits

struct DifferenceNorm {
  double of_difference = 0, of_reference = 0, largest = 0;
  void add(const Tensor& got, const Tensor& expected) {
    const Tensor a = got.to_f64(), b = expected.to_f64();
    const auto x = a.data<double>(), y = b.data<double>();
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double d = x[i] - y[i];
      of_difference += d * d, of_reference += y[i] * y[i];
      if (!(std::fabs(d) <= largest)) largest = std::fabs(d);
    }
  }
  [[nodiscard]] double relative() const {
    return of_difference == 0 ? 0 : std::sqrt(of_difference) / std::sqrt(of_reference);
  }
};

std::string number(double value, const char* format) {
  std::array<char, 40> buffer;
  const int length = std::snprintf(buffer.data(), buffer.size(), format, value);
  return {buffer.data(), static_cast<std::size_t>(length)};
}

class Quantization {
 public:
  Quantization(const Console& console, const QuantizeFlags& flags)
      : console_(console),
        flags_(flags),
        options_{flags.bits, static_cast<std::int64_t>(flags.group.value_or(flags.bits == 4 ? kUsualGroup : 0))},
        context_(make_context()),
        diagnostics_(context_->locations(), console.error_limit) {}

  ExitCode run() {
    if (const std::string wrong = wrong_options(options_); !wrong.empty())
      return console_.report(
          diagnose<kBadFlag>({}, "--group=" + std::to_string(options_.group) + " " + wrong, "quantize"));
    const Activity quantizing("quantising", flags_.input);
    const std::string output = flags_.output.empty() ? "-" : flags_.output;
    if (is_model_file(flags_.input)) {
      std::optional<ImportedModel> imported =
          import_model(context_, flags_.input, named_after({}, flags_.input, output), diagnostics_);
      if (imported && process(imported->module, imported->weights) && !flags_.output.empty())
        (void)write_imported(*imported, flags_.input, output, diagnostics_);
      return console_.report(diagnostics_);
    }
    std::optional<Module> module = load_input(context_, flags_.input, diagnostics_);
    if (module && process(*module, {}) && !flags_.output.empty()) write(print(*module), output);
    return console_.report(diagnostics_);
  }

 private:
  void write(const std::string& text, const std::string& to) {
    if (const Status<> written = write_product(to, text); !written)
      diagnostics_.emit(diagnose<kCannotWrite>({}, written.error()));
  }

  // Whether the data of the weights are at hand.
  [[nodiscard]] bool has_data(const Module& module, const NamedTensors& weights) const {
    return !weights.empty() || !flags_.data.weights.empty() || flags_.data.random_seed ||
           module.top().attr("weights").valid();
  }

  bool process(Module& module, const NamedTensors& weights) {
    const Module before = module;
    RewriteGate gate;
    made_ = quantize_weights(module, options_, gate);
    if (!run_pipeline(module, "canonicalize", diagnostics_)) return false;
    std::optional<ModuleData> data;
    DataOptions from = flags_.data;
    if (flags_.input != "-") from.folder = std::filesystem::path(flags_.input).parent_path().string();
    if (has_data(module, weights)) {
      data = load_data(before, from, weights, {}, diagnostics_);
      if (!data) return false;
    }
    std::string text = data ? "" : "no weights are given, so errors are not known\n";
    if (!report_weights(module, data, text)) return false;
    if (flags_.run.given() && !report_results(before, module, from, weights, text)) return false;
    if (flags_.output == "-")
      write_talk(text);
    else
      write(text, "-");
    return true;
  }

  bool report_weights(const Module& module, const std::optional<ModuleData>& data, std::string& text) {
    std::size_t width = 6;
    for (const QuantizedWeight& weight : made_) width = std::max(width, weight.name.size() + 1);
    std::size_t count = 0;
    for (const QuantizedWeight& weight : made_) {
      text += "@" + weight.name + std::string(width - weight.name.size(), ' ');
      if (!weight.left.empty()) {
        text += "stays: " + weight.left + "\n";
        continue;
      }
      ++count;
      text += flags_.bits == 8 ? "int8" : "int4";
      text += options_.group == 0 ? ", a scale a row" : ", a scale for " + std::to_string(options_.group);
      if (data) {
        Module copy = module;
        const std::array<OpRef, 2> symbols{add_dequantized_weight(copy, weight, options_), copy.lookup(weight.name)};
        auto values = evaluate_data(copy, symbols, *data);
        if (!values) {
          diagnostics_.emit(std::move(values).error());
          return false;
        }
        DifferenceNorm error;
        error.add((*values)[0], (*values)[1]);
        text += ", error " + number(100 * error.relative(), "%.3g") + " %";
      }
      text += "\n";
    }
    text += std::to_string(count) + " of " + std::to_string(made_.size()) + " weights quantised\n";
    return true;
  }

  bool report_results(const Module& before, const Module& after, const DataOptions& from, const NamedTensors& weights,
                      std::string& text) {
    Module floats = before, integers = after;
    const FuncRef function = choose_function(floats, flags_.run.function, diagnostics_);
    if (!function.valid()) return false;
    const auto bound = bind_run(function, flags_.run, from, weights, diagnostics_);
    if (!bound) return false;
    std::array<Outputs, 2> outputs;
    for (std::size_t i = 0; i < 2; ++i) {
      auto run = interpret(i == 0 ? floats : integers, function.name(), bound->inputs, bound->data);
      if (!run) {
        diagnostics_.emit(std::move(run).error());
        return false;
      }
      outputs[i] = *std::move(run);
    }
    for (std::size_t i = 0; i < outputs[0].results.size(); ++i) {
      if (!is_float(outputs[0].results[i].dtype())) continue;
      DifferenceNorm error;
      error.add(outputs[1].results[i], outputs[0].results[i]);
      text += "result `" + result_name(function, i) + "`: error " + number(100 * error.relative(), "%.3g") +
              " %, largest difference " + number(error.largest, "%.3g") + "\n";
    }
    return true;
  }

  const Console& console_;
  const QuantizeFlags& flags_;
  QuantizeOptions options_;
  std::shared_ptr<Context> context_;
  DiagnosticEngine diagnostics_;
  std::vector<QuantizedWeight> made_;
};

}  // namespace

ExitCode run_quantize(const Words& words) {
  Arguments arguments("quantize", "Stores weights as integers with scales, and says how much that changes.",
                      kQuantizeExamples);
  QuantizeFlags flags;
  add_module_argument(arguments, flags.input);
  arguments.add_value("-o,--output", flags.output, "FILE",
                      "Where it is written; - is standard output. Without it there is the report alone");
  arguments.add_choice<std::int64_t>("--dtype", flags.bits, {{"int8", 8}, {"int4", 4}}, "Of the weights");
  arguments.add_value("--group", flags.group, "N",
                      "Elements of a row that share a scale; 0: all of them (default: 0 of int8, 32 of int4)");
  add_weight_flags(arguments, flags.data);
  add_input_flags(arguments, flags.run);
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  if (auto wrong = read_input_flags(flags.run, "quantize")) return arguments.console().report(*std::move(wrong));
  return Quantization(arguments.console(), flags).run();
}

}  // namespace mlgc
