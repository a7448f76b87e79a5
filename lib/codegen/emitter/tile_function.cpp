// See tile_function.h.
#include "codegen/emitter/tile_function.h"

#include "codegen/emitter/source_block.h"

namespace mlgc::codegen {
namespace {

// Policy of this printer: rows that one pointer serves. x86 and others add a register times 1 or 2 to an address, so
// that three rows need no addition of their own.
constexpr int kRowsOfPointer = 3;
// Policy of this printer: terms of each row of which pairs are made at a time. Those of 12 rows take 6 KiB of the first
// cache.
constexpr int kTermsOfPairs = 256;
// Policy of this printer, whose text is the same for all machines: a prefetch for each 64 bytes, the cache line of x86
// and of most others; where lines are longer some are prefetched twice, where they are shorter some are not.
constexpr int kBytesOfPrefetch = 64;

class TileFunction {
 public:
  TileFunction(const TileShape& shape, const EmitterHooks& hooks)
      : shape_(shape),
        hooks_(hooks),
        element_(hooks.element_type(shape.panel)),
        row_element_(hooks.element_type(shape.row)),
        index_(hooks.index_type()),
        vector_(hooks.variable_type(Dtype::F32, shape.lanes)) {}

  std::string run() {
    // A single row has no next one.
    const bool several = shape_.rows > 1;
    std::string parameters = "const " + element_ + "* panel, const " + row_element_ + "* rows, " + index_ +
                             (several ? " row_stride" : "") + ", float* out, " + index_ +
                             (several ? " out_stride" : "");
    if (shape_.prefetches) parameters += ", " + index_ + " ahead";
    if (shape_.part) parameters += ", " + index_ + " columns";
    for (std::size_t l = 0; l < shape_.loops.size(); ++l) {
      parameters += ", " + index_ + " " + of("count", l) + ", " + index_ + " " + of("panel_step", l) + ", " + index_;
      // A pair is of neighbours: this step is 1.
      if (!in_pairs() || l + 1 < shape_.loops.size()) parameters += " " + of("row_step", l);
      if (shape_.loops[l].ends_early) parameters += ", " + index_ + " " + of("last", l);
    }
    const std::string head = "// The sums of the products of " + std::to_string(shape_.rows) + " rows with " +
                             std::to_string(shape_.lanes) + " columns, in registers.\n" +
                             std::string(hooks_.apart_prefix()) + "void " + shape_.name() + "(" + parameters + ") {\n";
    start("sum_");
    if (in_pairs())
      line("alignas(64) " + std::string(hooks_.pairs()->type()) + " pairs[" +
           std::to_string(shape_.rows * kTermsOfPairs / 2) + "];");
    else if (shape_.rows > 2)
      line("const " + index_ + " two_rows = 2 * row_stride;");
    loop(0, "panel", "rows", "sum_");
    for (int r = 0; r < shape_.rows; ++r)
      line(hooks_.store_lanes(Dtype::F32, shape_.lanes, at("out" + plus(r, "out_stride")), "sum_" + std::to_string(r)));
    return head + source_.take().print(1) + "}\n";
  }

 private:
  [[nodiscard]] bool in_pairs() const { return shape_.row == Dtype::BF16; }
  void line(SourceText text) { source_.line(std::move(text)); }
  static std::string of(const std::string& name, std::size_t loop) {
    return loop == 0 ? name : name + "_" + std::to_string(loop);
  }
  static LaneAccess at(const std::string& pointer) {
    LaneAccess access;
    access.pointer = pointer;
    return access;
  }
  // Of the columns of a panel.
  [[nodiscard]] LaneAccess columns_at(const std::string& pointer) const {
    LaneAccess access = at(pointer);
    if (!shape_.part) return access;
    access.kind = LaneAccess::Kind::Part;
    access.count = "columns";
    return access;
  }
  static std::string plus(int times, const std::string& stride) {
    if (times == 0) return "";
    return " + " + (times == 1 ? "" : std::to_string(times) + " * ") + stride;
  }

  void start(const std::string& sums) {
    for (int r = 0; r < shape_.rows; ++r)
      line(vector_ + " " + sums + std::to_string(r) + " = " +
           hooks_.splat(Dtype::F32, shape_.lanes, hooks_.real_literal(Dtype::F32, 0)) + ";");
  }

  // A loop and those in it, from these pointers on.
  void loop(std::size_t l, const std::string& panel, const std::string& rows, const std::string& sums_around) {
    const TileLoop& shape = shape_.loops[l];
    const std::string sums = shape.sums_anew ? of("block", l) + "_" : sums_around;
    if (shape.sums_anew) start(sums);
    std::string count = of("count", l);
    if (shape.ends_early) {
      const std::string around = of("i", l - 1);
      line("const " + index_ + " " + of("end", l) + " = " + around + " + 1 < " + of("count", l - 1) + " ? " + count +
           " : " + of("last", l) + ";");
      count = of("end", l);
    }
    const bool innermost = l + 1 == shape_.loops.size();
    if (innermost && in_pairs()) {
      products_in_pairs(panel, rows, count, sums);
      add_to(sums_around, sums);
      return;
    }
    if (innermost) {
      line("const " + element_ + "* at = " + panel + ";");
      for (int r = 0; r < shape_.rows; r += kRowsOfPointer)
        line("const float* row_" + std::to_string(r) + " = " + rows + plus(r, "row_stride") + ";");
    }
    source_.open(hooks_.loop_head(of("i", l), "0", count, 1) + " {");
    if (innermost) {
      products(sums);
    } else {
      const std::string next_panel = of("panel", l + 1), next_rows = of("rows", l + 1);
      line("const " + element_ + "* const " + next_panel + " = " + panel + " + " + of("i", l) + " * " +
           of("panel_step", l) + ";");
      line("const " + row_element_ + "* const " + next_rows + " = " + rows + " + " + of("i", l) + " * " +
           of("row_step", l) + ";");
      loop(l + 1, next_panel, next_rows, sums);
    }
    source_.close();
    add_to(sums_around, sums);
  }

  // What a loop with sums of its own leaves.
  void add_to(const std::string& sums_around, const std::string& sums) {
    if (sums_around == sums) return;
    for (int r = 0; r < shape_.rows; ++r) {
      const std::string number = std::to_string(r);
      line(sums_around + number + " = " +
           hooks_.call(ScalarFn::Add, Dtype::F32, Dtype::F32, shape_.lanes, sums_around + number, sums + number) + ";");
    }
  }

  // Of the panel that is read next, the vector that lies as `at` does in this one.
  void prefetch() {
    if (!shape_.prefetches) return;
    const int each = kBytesOfPrefetch / dtype_info(shape_.panel).bytes;
    for (int lane = 0; lane < shape_.lanes; lane += each)
      line(hooks_.prefetch("at + ahead" + (lane == 0 ? "" : " + " + std::to_string(lane))));
  }
  // What the innermost loop does: a load of a vector, and for each row a product with an element that all lanes take.
  void products(const std::string& sums) {
    const std::size_t l = shape_.loops.size() - 1;
    prefetch();
    line("const " + vector_ + " factor = " + hooks_.load_lanes(shape_.panel, shape_.lanes, columns_at("at")) + ";");
    for (int r = 0; r < shape_.rows; ++r) {
      const int offset = r % kRowsOfPointer;
      const std::string pointer = "row_" + std::to_string(r - offset), sum = sums + std::to_string(r);
      const std::string element = pointer + (offset == 0 ? "[0]" : offset == 1 ? "[row_stride]" : "[two_rows]");
      line(sum + " = " + hooks_.fma_of_element(shape_.lanes, element, "factor", sum) + ";");
    }
    line("at += " + of("panel_step", l) + ";");
    for (int r = 0; r < shape_.rows; r += kRowsOfPointer)
      line("row_" + std::to_string(r) + " += " + of("row_step", l) + ";");
  }

  // The innermost loop by pairs of terms, of some terms of all rows at a time.
  void products_in_pairs(const std::string& panel, const std::string& rows, const std::string& count,
                         const std::string& sums) {
    const PairHooks& hooks = *hooks_.pairs();
    const std::string step = of("panel_step", shape_.loops.size() - 1), vector = hooks.vector_type(shape_.lanes);
    const auto pairs_of = [](int r) { return r == 0 ? "" : std::to_string(r * kTermsOfPairs / 2) + " + "; };
    const auto add = [&](const std::string& pair, const std::string& factor) {
      for (int r = 0; r < shape_.rows; ++r) {
        const std::string sum = sums + std::to_string(r);
        line(sum + " = " + hooks.add("pairs[" + pairs_of(r) + pair + "]", factor, sum) + ";");
      }
    };
    line("const " + element_ + "* at = " + panel + ";");
    source_.open(hooks_.loop_head("begin", "0", count, kTermsOfPairs) + " {");
    const std::string most = std::to_string(kTermsOfPairs);
    line("const " + index_ + " terms = " + count + " - begin < " + most + " ? " + count + " - begin : " + most + ";");
    for (int r = 0; r < shape_.rows; ++r)
      line(hooks.copy("pairs" + (r == 0 ? "" : " + " + std::to_string(r * kTermsOfPairs / 2)),
                      rows + plus(r, "row_stride") + " + begin", "terms"));
    source_.open(hooks_.loop_head("pair", "0", "terms / 2", 1) + " {");
    prefetch();
    line("const " + vector +
         " factor = " + hooks.load(shape_.lanes, "at", "at + " + step, shape_.part ? "columns" : "") + ";");
    add("pair", "factor");
    line("at += 2 * " + step + ";");
    source_.close();
    source_.open("if (terms % 2 != 0) {");
    line("const " + vector + " factor = " + hooks.load(shape_.lanes, "at", "", shape_.part ? "columns" : "") + ";");
    add("terms / 2", "factor");
    source_.close();
    source_.close();
  }

  const TileShape& shape_;
  const EmitterHooks& hooks_;
  std::string element_, row_element_, index_, vector_;
  SourceBuilder source_;
};

}  // namespace

std::string TileShape::name() const {
  std::string out = "mlgc_tile_" + std::to_string(rows) + "x" + std::to_string(lanes);
  if (panel != Dtype::F32) out += "_" + std::string(dtype_info(panel).name);
  if (row != Dtype::F32) out += "_pairs";
  if (prefetches) out += "_ahead";
  if (part) out += "_part";
  for (std::size_t l = 1; l < loops.size(); ++l)
    out += std::string(loops[l].sums_anew ? "_block" : "_loop") + (loops[l].ends_early ? "_last" : "");
  return out;
}

std::string print_tile_function(const TileShape& shape, const EmitterHooks& hooks) {
  return TileFunction(shape, hooks).run();
}

}  // namespace mlgc::codegen
