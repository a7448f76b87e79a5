// Rules on small programs: each kind of pattern, conditions, numerics and phases, as docs/rules.md describes them.
#include <string>
#include <vector>

#include "applied_rules.h"
#include "rewrite/rule_apply.h"
#include "rewrite/rule_order.h"

namespace mlgc {
namespace {

using namespace test;

struct Case {
  std::string rule, body;
  std::string result;  // empty: the rule does not apply
};

void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    INFO(c.rule);
    INFO(c.body);
    Applied applied("rule r : " + c.rule + " numerics exact\n", c.body);
    CHECK(applied.report.applied == (c.result.empty() ? 0 : 1));
    CHECK(applied.report.hits == std::vector<std::uint64_t>{applied.report.applied});
    if (!c.result.empty()) CHECK(applied.result == c.result);
    // The reason is there exactly where the rule did not apply.
    if (c.result.empty()) {
      const OpRef root = applied.parsed.op("r");
      const bool tried = applied.set.has_rules_for(root.opcode());
      if (tried) CHECK(explain_miss(*applied.parsed.context, applied.read.file->sets[0].rules[0], root).found());
    }
  }
}

}  // namespace

TEST_CASE("values, numbers and operands of patterns") {
  check({
      {"neg(neg(x)) => x", "  %a = neg %x\n  %r = neg %a\n", "x"},
      {"neg(neg(x)) => x", "  %a = abs %x\n  %r = neg %a\n", ""},
      // A name that comes again is the same value.
      {"sub(x, x) => 0", "  %r = sub %x, %x\n", "0.0"},
      {"sub(x, x) => 0", "  %r = sub %x, %y\n", ""},
      {"sub(neg(x), x) => abs(x)", "  %a = neg %x\n  %r = sub %a, %x\n", "abs(x)"},
      {"sub(neg(x), x) => abs(x)", "  %a = neg %x\n  %r = sub %a, %y\n", ""},
      // A number: a constant, or the attribute in the place of the operand.
      {"mul(x, 2) => add(x, x)", "  %r = mul %x {other = 2.0}\n", "add(x, x)"},
      {"mul(x, 2) => add(x, x)",
       "  %c = constant {value = dense<2.0> : tensor<4xf32>} : tensor<4xf32>\n  %r = mul %x, %c\n", "add(x, x)"},
      {"mul(x, 2) => add(x, x)",
       "  %c = constant {value = dense<[2.0, 2.0, 2.0, 1.0]> : tensor<4xf32>} : tensor<4xf32>\n  %r = mul %x, %c\n",
       ""},
      {"mul(x, 2) => add(x, x)", "  %r = mul %x {other = 3.0}\n", ""},
      // Zeros of floats have a sign, those of integers none.
      {"add(x, 0) => x", "  %r = add %x {other = 0.0}\n", "x"},
      {"add(x, 0) => x", "  %r = add %x {other = -0.0}\n", ""},
      {"add(x, -0) => x", "  %r = add %x {other = -0.0}\n", "x"},
      {"add(x, -0) => x", "  %r = add %k {other = 0}\n", "k"},
      {"mul(x, inf) => x", "  %r = mul %x {other = inf}\n", "x"},
      // Any number, by name.
      {"mul(mul(x, #a), #b) => mul(x, #(a*b))", "  %a = mul %x {other = 2.0}\n  %r = mul %a {other = 1.5}\n",
       "mul{other = 3.0}(x)"},
      {"mul(mul(x, #a), #b) => mul(x, #(a*b))", "  %a = mul %x, %y\n  %r = mul %a {other = 1.5}\n", ""},
      // An operand that need not be there.
      {"linear(x, w, b?) => linear(neg(x), neg(w), b)", "  %r = linear %m, %w\n", "linear(neg(m), neg(w))"},
  });
}

TEST_CASE("ops of patterns: either order, alternatives, classes, labels, optional ones") {
  check({
      {"add(a, neg(b)) => sub(a, b)", "  %a = neg %y\n  %r = add %x, %a\n", "sub(x, y)"},
      {"add(a, neg(b)) => sub(a, b)", "  %a = neg %y\n  %r = add %a, %x\n", "sub(x, y)"},
      {"add!(a, neg(b)) => sub(a, b)", "  %a = neg %y\n  %r = add %a, %x\n", ""},
      {"sub(a, neg(b)) => add(a, b)", "  %a = neg %y\n  %r = sub %a, %x\n", ""},
      {"relu|abs(neg(x)) => x", "  %a = neg %x\n  %r = abs %a\n", "x"},
      {"relu|abs(neg(x)) => x", "  %a = neg %x\n  %r = relu %a\n", "x"},
      {"relu|abs(neg(x)) => x", "  %a = neg %x\n  %r = sin %a\n", ""},
      {"elementwise(abs(x)) => x", "  %a = abs %x\n  %r = cos %a\n", "x"},
      {"elementwise(abs(x)) => x", "  %a = abs %x\n  %r = flip %a {dims = [0]}\n", ""},
      // A label in the place of an op: the same op, attributes included.
      {"f@involution[*](f(x)) => x",
       "  %a = transpose %m {dim0 = 0, dim1 = 1}\n  %r = transpose %a {dim0 = 0, dim1 = 1}\n", "m"},
      {"f@involution[*](f(x)) => x",
       "  %a = transpose %m {dim0 = 0, dim1 = 1}\n  %r = transpose %a {dim0 = 1, dim1 = 0}\n", ""},
      {"f@involution[*](f(x)) => x", "  %a = neg %m\n  %r = transpose %a {dim0 = 0, dim1 = 1}\n", ""},
      {"f@involution(f(x)) => x", "  %a = neg %x\n  %r = neg %a\n", "x"},
      // Attributes that it does not admit are asked for as of any other op.
      {"f@involution(f(x)) => x", "  %a = flip %x {dims = [0]}\n  %r = flip %a {dims = [0]}\n", ""},
      {"f@idempotent(y@f(x)) => y", "  %a = relu %x\n  %r = relu %a\n", "relu(x)"},
      {"f@sin(neg(x)) => neg(f(x))", "  %a = neg %x\n  %r = sin %a\n", "neg(sin(x))"},
      // With and without the optional op; its label is the value in its place.
      {"relu(neg?(x)) => abs(x)", "  %a = neg %x\n  %r = relu %a\n", "abs(x)"},
      {"relu(neg?(x)) => abs(x)", "  %r = relu %y\n", "abs(y)"},
      {"relu(l@neg?(x)) => abs(l)", "  %a = neg %x\n  %r = relu %a\n", "abs(neg(x))"},
      {"relu(l@neg?(x)) => abs(l)", "  %r = relu %y\n", "abs(y)"},
      {"relu(mul?(x, #a = 1)) => mul(x, #(a*2))", "  %a = mul %x {other = 3.0}\n  %r = relu %a\n",
       "mul{other = 6.0}(x)"},
      {"relu(mul?(x, #a = 1)) => mul(x, #(a*2))", "  %r = relu %x\n", "mul{other = 2}(x)"},
  });
}

TEST_CASE("attributes of patterns and of what is made") {
  check({
      {"softmax[dim = d](x) => log_softmax[dim = d](x)", "  %r = softmax %m {dim = 1}\n", "log_softmax{dim = 1}(m)"},
      {"softmax[dim](x) => log_softmax[dim](x)", "  %r = softmax %m {dim = 0}\n", "log_softmax{dim = 0}(m)"},
      {"softmax[dim = 1](x) => x", "  %r = softmax %m {dim = 1}\n", "m"},
      {"softmax[dim = 1](x) => x", "  %r = softmax %m {dim = 0}\n", ""},
      // One that is not named has its default, unless all may be anything.
      {"gelu(x) => x", "  %r = gelu %x\n", "x"},
      {"gelu(x) => x", "  %r = gelu %x {approximate = \"tanh\"}\n", ""},
      {"gelu[*](x) => x", "  %r = gelu %x {approximate = \"tanh\"}\n", "x"},
      {"gelu[*](neg(x)) => gelu[*](x)", "  %a = neg %x\n  %r = gelu %a {approximate = \"tanh\"}\n",
       "gelu{approximate = \"tanh\"}(x)"},
      // What is made has the root's type, or nothing is.
      {"mul(x, 1) => x",
       "  %c = constant {value = dense<1.0> : tensor<3x4xf32>} : tensor<3x4xf32>\n  %r = mul %x, %c\n", ""},
      {"sin(x) => sum[dim = [0]](x)", "  %r = sin %x\n", ""},
      // A rule that would make the op that is there does not apply.
      {"sub(a, b) => sub(a, b)", "  %r = sub %x, %y\n", ""},
      // A constant of the root's type, or of a value's; what is made once.
      {"sin(x) => splat(3)", "  %r = sin %x\n", "3.0"},
      {"sin(x) => add(n, n) where n = neg(x)", "  %r = sin %x\n", "add(neg(x), neg(x))"},
  });
}

TEST_CASE("conditions hold only where they are known to") {
  const std::string rank = "  %r = sin %m\n", vector = "  %r = sin %x\n";
  check({
      {"sin(x) => x if rank(x) == 2", rank, "m"},
      {"sin(x) => x if rank(x) == 2", vector, ""},
      {"sin(x) => x if not rank(x) == 2", vector, "x"},
      {"sin(x) => x if rank(x) == 1 and size(x, -1) == 4", vector, "x"},
      {"sin(x) => x if rank(x) == 2 or size(x, 0) == 4", vector, "x"},
      {"sin(x) => x if rank(x) == 2 and size(x, 0) == 4", vector, ""},
      {"sin(x) => x if size(x, 0)*2 + 1 < 10 and size(x, 0) >= 4 and size(x, 0) != 3", vector, "x"},
      // Nothing is known of a symbol, nor of the negation; an axis that is not there has no size.
      {"sin(x) => x if size(x, 0) == 4", rank, ""},
      {"sin(x) => x if not size(x, 0) == 4", rank, ""},
      {"sin(x) => x if size(x, 0) >= 0", rank, "m"},
      {"sin(x) => x if size(x, 3) == 4", rank, ""},
      {"sin(x) => x if not size(x, 3) == 4", rank, ""},
      {"sin(x) => x if dtype(x) == f32 and float(x) and not integer(x)", vector, "x"},
      {"neg(a@neg(x)) => x if uses(a) == 1", "  %a = neg %x\n  %r = neg %a\n", "x"},
      {"neg(a@neg(x)) => x if uses(a) == 1", "  %a = neg %x\n  %s = sin %a\n  %r = neg %a\n", ""},
      {"add(a, b) => sub(a, b) if constant(b)", "  %r = add %x, %y\n", ""},
      {"permute[dims = p](permute[dims = q](x)) => permute[dims = compose(p, q)](x) if rank(x) == 2",
       "  %a = permute %m {dims = [1, 0]}\n  %r = permute %a {dims = [1, 0]}\n", "permute{dims = [0, 1]}(m)"},
  });
}

TEST_CASE("a rule is applied where the mode of numerics admits its class, else it is named") {
  struct Class {
    std::string text;
    bool exact, like_eager;  // applied under these; under `fast` all are
  };
  const std::vector<Class> classes{{"exact", true, true},
                                   {"signed_zero", true, true},
                                   {"nan_or_inf", false, false},
                                   {"reassociate", false, false},
                                   {"reassociate in reduction", false, true},
                                   {"reassociate in weights", false, true},
                                   {"approximate", false, false},
                                   {"unequal", true, true}};
  for (const Class& c : classes)
    for (const Numerics mode : {Numerics::Exact, Numerics::LikeEager, Numerics::Fast}) {
      INFO(c.text << " under " << numerics_name(mode));
      const bool wanted = mode == Numerics::Fast || (mode == Numerics::Exact ? c.exact : c.like_eager);
      const Applied applied("rule r : sin(x) => x numerics " + c.text + "\n", "  %r = sin %x\n", mode);
      CHECK(applied.report.applied == (wanted ? 1 : 0));
      CHECK(admits(mode, applied.set.rules()[0]) == wanted);
      REQUIRE(applied.barred.size() == 1);
      CHECK(applied.barred[0].has_value() == !wanted);
      // An op around the root overrides the mode.
      for (const std::string inside : {"exact", "fast"}) {
        ParsedModule parsed("func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {numerics = \"" + inside +
                            "\"} {\n  %r = sin %x\n  return %r\n}\n");
        const ParsedRules rules(parsed.context, "set s phase once\nrule r : sin(x) => x numerics " + c.text + "\n");
        const RuleSet set = rules.set(*parsed.context);
        CHECK(rewrite(parsed.module, set, mode).applied == (inside == "fast" || c.exact ? 1 : 0));
      }
    }
}

TEST_CASE("phases: until none applies, once for each op that was there, or regions from the end") {
  const std::string chain = "  %a = neg %x\n  %b = neg %a\n  %c = neg %b\n  %d = neg %c\n  %r = neg %d\n";
  SECTION("simplify") {
    Applied applied("rule r : neg(neg(x)) => x numerics exact\n", chain, Numerics::Exact, nullptr, "simplify");
    CHECK((applied.result == "neg(x)" && applied.report.applied == 2));
    CHECK(rewrite(applied.parsed.module, applied.set, Numerics::Exact).applied == 0);
    // What nobody reads any more is gone.
    std::size_t ops = 0;
    for (const OpRef op : applied.parsed.func().region(0).ops()) ops += op.has_trait(Traits::Terminator) ? 0 : 1;
    CHECK(ops == 1);
  }
  SECTION("simplify tries users again, as deep as the rules look") {
    Applied applied(
        "rule one : sin(neg(x)) => x numerics exact\nrule two : abs(sin(x)) => cos(x) numerics exact\n"
        "rule three : exp(cos(cos(x))) => x numerics exact\n",
        "  %a = neg %x\n  %b = sin %a\n  %c = cos %b\n  %s = sin %c\n  %d = abs %s\n  %r = exp %d\n", Numerics::Exact,
        nullptr, "simplify");
    CHECK(applied.result == "x");
    CHECK(applied.report.hits == std::vector<std::uint64_t>{1, 1, 1});
  }
  SECTION("once") {
    const Applied applied("rule r : neg(x) => neg(abs(x)) numerics exact\n", chain);
    CHECK(applied.report.applied == 5);
    CHECK(applied.result == "neg(abs(neg(abs(neg(abs(neg(abs(neg(abs(x))))))))))");
  }
  SECTION("of several, the first that applies") {
    const std::string rules =
        "rule special : neg(neg(x)) => x numerics exact\nrule general : neg(x) => abs(x) numerics exact\n";
    const Applied applied(rules, "  %a = neg %x\n  %r = neg %a\n", Numerics::Exact, nullptr, "simplify");
    // In program order the inner one comes first, and only the general rule applies to it.
    CHECK((applied.report.hits[0] + applied.report.hits[1] == applied.report.applied));
    const Applied both(rules, "  %a = sin %x\n  %r = neg %a\n", Numerics::Exact, nullptr, "simplify");
    CHECK((both.result == "abs(sin(x))" && both.report.hits == std::vector<std::uint64_t>{0, 1}));
  }
  SECTION("grow") {
    const Applied applied("rule chain : elementwise*(matmul[*](a, b)) => fusion numerics exact\n",
                          "  %t = permute %w {dims = [1, 0]}\n  %a = matmul %m, %t\n  %b = relu %a\n  %r = tanh %b\n",
                          Numerics::Exact, nullptr, "grow");
    CHECK(applied.report.applied == 1);
    const OpRef fusion = applied.parsed.func().region(0).terminator().operand(0).definer();
    REQUIRE(fusion.is(GraphOp::Fusion));
    std::string rows;
    for (const OpRef op : fusion.region().ops()) rows += std::string(op.name()) + " ";
    CHECK(rows == "matmul relu tanh yield ");
    // What is read elsewhere cannot go into a region.
    const Applied read(
        "rule chain : elementwise*(matmul[*](a, b)) => fusion numerics exact\n",
        "  %t = permute %w {dims = [1, 0]}\n  %a = matmul %m, %t\n  %b = relu %a\n  %s = sin %a\n  %r = tanh %b\n",
        Numerics::Exact, nullptr, "grow");
    CHECK(read.report.applied == 0);
  }
}

TEST_CASE("the gate counts applications and stops them") {
  const std::string chain = "  %a = neg %x\n  %b = sin %a\n  %c = neg %b\n  %r = sin %c\n";
  for (const std::uint64_t limit : {0, 1, 2, 9}) {
    RewriteGate gate(limit);
    const Applied applied("rule r : sin(neg(x)) => x numerics exact\n", chain, Numerics::Exact, &gate);
    CHECK(applied.report.applied == std::min<std::uint64_t>(limit, 2));
    CHECK(gate.count() == applied.report.applied);
    if (limit > 0) CHECK(gate.last().what == "r");
  }
}

TEST_CASE("what is made carries the rule and where the ops stood") {
  const Applied applied("rule r : sin(neg(x)) => abs(x) numerics exact\n", "  %a = neg %x\n  %r = sin %a\n");
  const OpRef made = applied.parsed.func().region(0).terminator().operand(0).definer();
  CHECK_THAT(applied.parsed.context->locations().print(made.location()), Contains(rule_location_name("r")));
  CHECK(rule_location_name("r") == "rule r");
}

TEST_CASE("each rule of phase simplify makes the measure smaller, or has no proof") {
  struct Proof {
    std::string rule;
    bool holds;
  };
  const std::vector<Proof> proofs{
      {"neg(neg(x)) => x", true},
      {"add(a, neg(b)) => sub(a, b)", true},
      {"neg(x) => neg(neg(neg(x)))", false},
      {"add(a, b) => add(b, a)", false},
      {"sin(neg(x)) => neg(sin(x))", false},
      // The inner op goes only where nobody else reads it.
      {"sub(mul(a, b), mul(a, c)) => mul(a, sub(b, c))", false},
      {"sub(p@mul(a, b), q@mul(a, c)) => mul(a, sub(b, c)) if uses(p) == 1 and uses(q) == 1", true},
      // Constants do not count, and one moves behind what is none.
      {"sin(x) => 0", true},
      {"f@commutative!(k, x) => f(x, k) if constant(k) and not constant(x)", true},
      {"f@commutative!(k, x) => f(x, k) if constant(k)", false},
  };
  const auto context = make_context();
  for (const Proof& p : proofs) {
    INFO(p.rule);
    const ParsedRules rules(context, "set s phase simplify\nrule r : " + p.rule + " numerics exact\n");
    // A file with a rule that has no proof is refused when it is loaded, or by its own checker.
    const ParsedRules once(context, "set s phase once\nrule r : " + p.rule + " numerics exact\n");
    REQUIRE(once.file.has_value());
    const OrderProof proof = prove_order(*context, once.file->sets[0].rules[0]);
    CHECK(proof.holds == p.holds);
    CHECK_FALSE(proof.reason.empty());
  }
}

}  // namespace mlgc
