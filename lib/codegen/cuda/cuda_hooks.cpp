// Expression text of CUDA C++.
#include "codegen/cuda/cuda_hooks.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "analysis/attention_nest.h"
#include "machine/cuda_threads.h"
#include "ops/combine.h"
#include "support/result.h"

namespace mlgc::codegen {

using Text = SourceText;

Text CudaScalars::real_literal(Dtype dtype, double value) const {
  const std::string type = dtype == Dtype::F64 ? "f64" : "f32";
  if (dtype != Dtype::F64) value = static_cast<float>(value);
  if (std::isnan(value)) return "mlgc_nan_" + type + "()";
  if (std::isinf(value)) return (value < 0 ? "-" : "") + ("mlgc_infinity_" + type) + "()";
  return CppHooks::real_literal(dtype, value);
}

Text CudaScalars::fma(int, const SourceText& a, const SourceText& b, const SourceText& c) const {
  return "fmaf(" + a + ", " + b + ", " + c + ")";
}

Text CudaScalars::convert(Dtype from, Dtype to, int lanes, const SourceText& a) const {
  if (from == Dtype::F32 && to == Dtype::BF16) return call_of("mlgc_round_bfloat", a.without_brackets());
  return CppHooks::convert(from, to, lanes, a);
}

bool CudaScalars::is_reserved(std::string_view name) const {
  static constexpr std::string_view kWords[] = {
      "blockDim",      "blockIdx", "gridDim", "memory_of_blocks", "scratch", "failure",         "threadIdx",
      "scratch_bytes", "warpSize", "memory",  "mlgc_shared",      "NULL",    "combined_before", "kAligned"};
  return CppHooks::is_reserved(name) || std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords);
}

Text CudaHooks::fail(std::string_view message, const std::vector<SourceText>& values) const {
  MLGC_ASSERT(values.size() <= 4, "a failure with more than four values");
  const auto known = std::find(messages_.begin(), messages_.end(), message);
  const auto number = known - messages_.begin() + 1;
  if (known == messages_.end()) messages_.emplace_back(message);
  Text given = Text::failure() + ", " + std::to_string(number);
  for (const Text& value : values) given += ", " + value;
  return ("{ mlgc_fail(" + given + "); return; }").returning();
}

std::string CudaHooks::kernel_head(std::string_view name, int threads, bool asks) const {
  // Of the largest block there is one at a time, or compilers leave half of the registers to a second one.
  const std::string bounds = std::to_string(threads) + (threads == kMostLanes ? ", 1" : "");
  return (asks ? "template <bool kAligned>\n" : "") + ("__global__ static void __launch_bounds__(" + bounds + ") ") +
         std::string(name);
}

Text CudaHooks::kernel_instance(const std::vector<SourceText>& pointers, std::string_view name) const {
  Text all;
  for (const SourceText& pointer : pointers) all += (all.empty() ? "" : ", ") + pointer;
  const std::string of(name);
  return call_of("mlgc_are_aligned", all) + " ? " + of + "<true> : " + of + "<false>";
}

SourceText CudaHooks::narrow(const SourceText& integer) const { return call_of("static_cast<uint32_t>", integer); }
SourceText CudaHooks::narrow_signed(const SourceText& integer) const {
  return call_of("static_cast<int32_t>", integer.without_brackets());
}

SourceText CudaHooks::place_if(const SourceText& condition, const SourceText& place) const {
  return call_of("mlgc_place_if", condition, place.without_brackets());
}

std::string CudaHooks::alone(std::string_view type) const {
  return std::string(type) + (type.ends_with('*') ? " __restrict__" : "");
}

std::string CudaHooks::piece_type(Dtype dtype, int count) const {
  return "mlgc_piece<" + std::string(element_type(dtype)) + ", " + std::to_string(count) + ">";
}
Text CudaHooks::read_piece(int count, const SourceText& pointer, bool asked) const {
  return "mlgc_read_piece<" + std::to_string(count) + (asked ? ", kAligned" : "") + ">(" + Text(pointer) + ")";
}
Text CudaHooks::read_parts(int count, const SourceText& pointer) const {
  return "mlgc_read_parts<" + std::to_string(count) + ">(" + Text(pointer) + ")";
}
Text CudaHooks::write_piece(const SourceText& buffer, const SourceText& place, const SourceText& piece,
                            bool asked) const {
  return (asked ? "mlgc_write_piece<kAligned>(" : "mlgc_write_piece(") + Text(buffer) + ", " + Text(place) + ", " +
         Text(piece) + ");";
}
Text CudaHooks::write_row_piece(int threads, const SourceText& buffer, const SourceText& place, const SourceText& piece,
                                const SourceText& holds) const {
  return "mlgc_write_row_piece<" + std::to_string(threads) + ">(" + Text(buffer) + ", " + Text(place) + ", " +
         Text(piece) + ", " + Text(holds) + ");";
}

Text CudaHooks::rounded_piece(Dtype dtype, const SourceText& numbers) const {
  return call_of(dtype == Dtype::BF16 ? "mlgc_bfloats_of" : "mlgc_halves_of", numbers);
}

Text CudaHooks::divide_by_invariant(const SourceText& a, const SourceText& b, bool for_halves) const {
  return call_of(for_halves ? "mlgc_divide_for_halves" : "mlgc_divide_by_invariant", a, b);
}

Text CudaHooks::call_for_halves(ScalarFn fn, const SourceText& a) const {
  if (fn == ScalarFn::Exp) return call_of("mlgc_exp_for_halves", a);
  if (fn == ScalarFn::Sigmoid) return call_of("mlgc_sigmoid_for_halves", a);
  return {};
}
Text CudaHooks::one_plus_erf_for_halves(const SourceText& a) const {
  return call_of("mlgc_one_plus_erf_for_halves", a);
}

Text CudaHooks::combine(int lanes, const SourceText& value, const SourceText& op) const {
  return "mlgc_combine<" + std::to_string(lanes) + ">(" + Text(value) + ", combined_before, " + Text(op) + ")";
}
Text CudaHooks::combine_in_group(int lanes, int threads, const SourceText& value, const SourceText& op) const {
  const std::string of = threads == kWarpThreads ? "" : ", " + std::to_string(threads);
  return "mlgc_combine_in_warp<" + std::to_string(lanes) + of + ">(" + Text(value) + ", " + Text(op) + ")";
}
Text CudaHooks::combine_across(int lanes, int columns, const SourceText& value, const SourceText& op) const {
  return "mlgc_combine_across<" + std::to_string(lanes) + ", " + std::to_string(columns) + ">(" + Text(value) +
         ", combined_before, " + Text(op) + ")";
}

Text CudaHooks::function_of_two(std::string_view type, const SourceText& a, const SourceText& b,
                                const SourceText& statements, const SourceText& result) const {
  const Text parameter = Text(type) + " ", end = " return " + Text(result) + "; }";
  const Text head = "[=](" + parameter + Text(a) + ", " + parameter + Text(b) + ") -> " + Text(type) + " {";
  return statements.empty() ? head + end : head + "\n" + Text(statements) + end;
}

std::string CudaHooks::scratch_of_block() const {
  return "  extern __shared__ __align__(16) char mlgc_shared[];\n"
         "  char* const scratch = memory_of_blocks == nullptr ? mlgc_shared : memory_of_blocks + blockIdx.x * "
         "scratch_bytes;\n";
}
std::string CudaHooks::scratch_of_group(int threads) const {
  return "  extern __shared__ __align__(16) char mlgc_shared[];\n  char* const scratch = mlgc_shared + " +
         group(threads) + " * scratch_bytes;\n";
}
std::string CudaHooks::scratch_of_thread(int threads) const {
  return "  char* const scratch = memory_of_blocks + (int64_t{blockIdx.x} * " + std::to_string(threads) +
         " + threadIdx.x) * scratch_bytes;\n";
}
Text CudaHooks::fits_on_chip(const SourceText& kernel, const SourceText& bytes) const {
  return Text(bytes) + " <= mlgc_chip_bytes(" + kernel + ")";
}

namespace {

// Policies of this printer, which the type is told: terms of a part of the factors; floats between the rows of sums
// that are no part of them; a warp has a quarter of the sums of a tile, of a large one an eighth.
constexpr std::int64_t kMatrixTerms = 32, kFewRowsTerms = 64, kMostColumnsOfLongParts = 128, kMatrixPadding = 8,
                       kMostMatrixSums = 128 * 128;

// Fewer than a warp's share of a tile of four: warps stand next to each other (prelude/few_rows.cuh).
bool has_few_rows(const MatrixTile& tile) { return tile.rows < 32; }
std::int64_t part_terms(const MatrixTile& tile) {
  return has_few_rows(tile) && tile.columns <= kMostColumnsOfLongParts ? kFewRowsTerms : kMatrixTerms;
}

std::string matrix_dtype(Dtype dtype) { return dtype == Dtype::BF16 ? "mlgc_matrix_bf16" : "mlgc_matrix_f16"; }

// As prelude/attention.cuh has them: elements of a query, key or value.
std::int64_t attention_width(std::int64_t elements) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(elements, 32))));
}

std::string matrix_type(const CudaHooks& hooks, const MatrixTile& tile) {
  const auto flag = [](bool by_terms) { return by_terms ? "true" : "false"; };
  const std::string of = tile.dtype == Dtype::F32 ? "mlgc_split_tile<"
                                                  : (has_few_rows(tile) ? "mlgc_few_rows_tile<" : "mlgc_matrix_tile<") +
                                                        matrix_dtype(tile.dtype) + ", ";
  return of + std::to_string(tile.rows) + ", " + std::to_string(tile.columns) + ", " + std::to_string(tile.stages) +
         ", " + flag(tile.left_by_terms) + ", " + flag(tile.right_by_terms) + ", " +
         std::to_string(hooks.matrix_threads(tile)) + ", " + std::to_string(part_terms(tile)) + ", " +
         std::to_string(kMatrixPadding) + ">";
}

}  // namespace

int CudaHooks::matrix_threads(const MatrixTile& tile) const {
  return (tile.rows * tile.columns > kMostMatrixSums ? 8 : 4) * kWarpThreads;
}

MatrixPart CudaHooks::matrix_part(const MatrixTile& tile) const {
  if (tile.rows * tile.columns <= kMostMatrixSums) return {tile.rows, tile.columns, 1};
  if (tile.rows > tile.columns) return {tile.rows / 2, tile.columns, 2};
  return {tile.rows, tile.columns / 2, 2};
}

std::int64_t CudaHooks::matrix_bytes(const MatrixTile& tile) const {
  const std::int64_t parts = tile.stages * (tile.rows + tile.columns) * part_terms(tile) *
                             static_cast<std::int64_t>(dtype_info(tile.dtype).bytes);
  const MatrixPart part = matrix_part(tile);
  return std::max(parts, part.rows * (part.columns + kMatrixPadding) * 4);
}

Text CudaHooks::matrix_offset(const SourceText& name, const SourceText& parameter, bool narrow, const SourceText& place,
                              const std::vector<SourceText>& asked) const {
  const std::string type(narrow ? "int32_t" : index_type()), cast = "static_cast<" + type + ">";
  Text numbers;
  for (const SourceText& number : asked)
    numbers += (numbers.empty() ? "" : ", ") + call_of(cast, number.without_brackets());
  return "const auto " + Text(name) + " = [=](" + type + " " + parameter + ") { return mlgc_offset<" + type + ", " +
         std::to_string(asked.size()) + ">{" + call_of(cast, place.without_brackets()) + ", {" + numbers + "}}; };";
}

std::vector<Text> CudaHooks::matrix_sums(const MatrixTile& tile, const SourceText& sums, const SourceText& memory,
                                         const MatrixFactor& left, const MatrixFactor& right,
                                         const SourceText& terms) const {
  const std::string type = matrix_type(*this, tile);
  const auto parts = [&](const MatrixFactor& of, bool is_left) {
    if (!of.gather)
      return type + "::strided_" + (is_left ? "left" : "right") + "(" + of.pointer + ", " + of.stride + ", " +
             of.lines + ", " + terms + ")";
    const auto flag = [](bool is) { return is ? ", true" : ", false"; };
    const MatrixGather& gather = *of.gather;
    Text out = "mlgc_gather<" + type + ", " + std::to_string(is_left ? tile.rows : tile.columns) +
               flag(is_left ? tile.left_by_terms : tile.right_by_terms) + flag(gather.in_pieces) + ", " +
               std::to_string(gather.most.size()) + (gather.narrow ? ", int32_t" : ", int64_t") + ">(" + of.pointer +
               ", " + gather.first_line + ", " + gather.end_line + ", " + gather.first_term + ", " + gather.end_term +
               ", " + gather.line + ", " + gather.term;
    for (const SourceText& most : gather.most) out += ", " + most;
    return out + ")";
  };
  return {type + "::sums_of_thread " + Text(sums) + ";", type + "::multiply(" + Text(sums) + ", " + memory + ", " +
                                                             terms + ", " + parts(left, true) + ", " +
                                                             parts(right, false) + ");"};
}

Text CudaHooks::matrix_part_sums(const MatrixTile& tile, const SourceText& name, const SourceText& sums,
                                 const SourceText& memory, const SourceText& part) const {
  return "const float* const " + Text(name) + " = " + matrix_type(*this, tile) + "::put(" + sums + ", " + memory +
         ", " + part + ");";
}

Text CudaHooks::matrix_sum(const MatrixTile& tile, const SourceText& name, const SourceText& row,
                           const SourceText& column) const {
  return Text(name) + " + " + row.as_operand() + " * " + std::to_string(matrix_part(tile).columns + kMatrixPadding) +
         " + " + column;
}

std::int64_t CudaHooks::most_queries_at_once(const AttentionTile& tile) const {
  constexpr std::int64_t kTerms = 64, kLarge = 128;
  return attention_width(std::max(tile.terms, tile.columns)) > kTerms ? kFewestQueries : kLarge;
}

std::int64_t CudaHooks::attention_bytes(const AttentionTile& tile) const {
  const std::int64_t terms = attention_width(tile.terms), columns = attention_width(tile.columns);
  const std::int64_t parts = (tile.rows * terms + kAttentionKeys * (terms + columns)) * 2;
  return std::max(parts, tile.rows * (columns + kMatrixPadding + 1) * 4);
}

Text CudaHooks::attention_sums(const AttentionTile& tile, const SourceText& name, const SourceText& memory,
                               const AttentionFactors& factors) const {
  const auto factor = [](const MatrixFactor& of) { return of.pointer + ", " + of.stride + ", "; };
  const std::string type =
      "mlgc_attention_tile<" + matrix_dtype(tile.dtype) + ", " + std::to_string(tile.rows / kFewestQueries) + ", " +
      std::to_string(attention_width(tile.terms)) + ", " + std::to_string(attention_width(tile.columns)) + ">";
  return "const float* const " + Text(name) + " = " + type + "::sums(" + Text(memory) + ", " + factor(factors.queries) +
         factors.queries.lines + ", " + factors.first + ", " + factor(factors.keys) + factor(factors.values) +
         factors.keys.lines + ", " + factors.tiles + ", " + factors.seen + ", " + factors.terms + ", " +
         factors.columns + ", " + factors.score + ");";
}

Text CudaHooks::attention_sum(const AttentionTile& tile, const SourceText& name, const SourceText& row,
                              const SourceText& column) const {
  return Text(name) + " + " + row.as_operand() + " * " +
         std::to_string(attention_width(tile.columns) + kMatrixPadding) + " + " + column;
}

Text CudaHooks::attention_total(const AttentionTile& tile, const SourceText& name, const SourceText& row) const {
  return Text(name) + "[" + std::to_string(tile.rows * (attention_width(tile.columns) + kMatrixPadding)) + " + " + row +
         "]";
}

Text CudaHooks::score_head(const SourceText& name, const SourceText& query, const SourceText& key,
                           const SourceText& product) const {
  const Text type = std::string(index_type()) + " ";
  return "const auto " + Text(name) + " = [&](" + type + Text(query) + ", " + type + Text(key) + ", float " +
         Text(product) + ") -> float {";
}

Text CudaHooks::launch(const SourceText& kernel, const SourceText& blocks, int threads, const SourceText& shared,
                       const SourceText& arguments) const {
  return ("if (const int32_t failed = mlgc_launch(" + Text::runtime() + ", " + kernel + ", " + blocks + ", " +
          std::to_string(threads) + ", " + shared + arguments + ")) return failed;")
      .returning();
}

std::vector<SourceText> CudaHostHooks::begin_host_function() const {
  std::vector<Text> out = CppHooks::begin_host_function();
  out.emplace_back("mlgc_failure* const failure = " +
                   (failing_ < 0 ? "nullptr;  // no kernel can fail"
                                 : "mlgc_queueing(runtime)->failures + " + std::to_string(failing_) + ";"));
  return out;
}

Text CudaHostHooks::before_deciding() const {
  waits_ = true;
  const Text wait = (failing_ < 0 ? "mlgc_wait(" : "mlgc_settle(") + Text::runtime() + ")";
  return ("if (const int32_t failed = " + wait + ") return failed;").returning();
}

Text CudaHostHooks::fail(std::string_view message, const std::vector<SourceText>& values) const {
  if (inside_kernel_) return CudaHooks::fail(message, values);
  return CppHooks::fail(message, values);  // NOLINT(bugprone-parent-virtual-call): as the host says it
}
Text CudaHostHooks::load(Dtype dtype, const SourceText& place) const {
  if (inside_kernel_) return CppHooks::load(dtype, place);
  waits_ = true;
  return CppHooks::load(dtype, "mlgc_fetch(" + Text::runtime() + ", &" + place + ")");
}
Text CudaHostHooks::store(Dtype dtype, const SourceText& place, const SourceText& value) const {
  if (inside_kernel_) return CppHooks::store(dtype, place, value);
  waits_ = true;
  return "mlgc_put(" + Text::runtime() + ", &" + place + ", " + stored(dtype, value) + ");";
}

}  // namespace mlgc::codegen
