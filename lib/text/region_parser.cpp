// See region_parser.h.
#include "text/region_parser.h"

#include "diag/kinds_verify.h"
#include "text/generic_op_parser.h"
#include "text/item_parser.h"
#include "text/op_parser.h"

namespace mlgc::text {

bool RegionParser::parse_region(RegionRef region, std::span<const RegionArgument> arguments, bool isolated,
                                const Token& open) {
  Cursor::Nesting nesting(in_);
  if (!nesting.ok()) return false;
  const std::uint32_t outer = values_.enter(isolated);
  bool ok = true;
  for (const RegionArgument& argument : arguments) {
    const Value value = region.add_argument(argument.type);
    if (!argument.type.valid()) finisher_.note_untyped(value.id(), argument.operand);
    if (argument.name.kind != Tok::End) ok = values_.define(argument.name, value.id(), 1) && ok;
  }
  parse_ops(region, false);
  if (unwinding_) {
    ok = false;
  } else if (!in_.take(Tok::RBrace)) {
    ok = false;
    in_.report_unclosed(open);
  }
  if (isolated) {
    values_.report_undefined();
    if (values_.in_item()) finisher_.finish_item(region.parent_op());
  }
  values_.leave(outer);
  return ok;
}

void RegionParser::parse_ops(RegionRef region, bool top_level) {
  while (!in_.at(Tok::End)) {
    if (in_.at(Tok::RBrace)) {
      if (!top_level) return;
      in_.error<kUnmatchedBrace>(in_.token());
      in_.advance();
      continue;
    }
    if (in_.diagnostics().at_limit()) return in_.give_up();
    const bool in_module = region == module_.body();
    if (in_module && (in_.at(Tok::Hash) || in_.at(Tok::Bang))) {
      const std::size_t begin = in_.token().begin;
      values_.begin_op(in_.token().begin);
      if (!aliases_.parse_alias()) in_.synchronize(begin);
      continue;
    }
    if (top_level && in_.at(Tok::MetadataBegin)) {
      resources_.skip_metadata_section();
      continue;
    }
    if (in_.at(Tok::Name) && starts_item(in_.text()) && !in_module && in_.first_on_line(in_.token())) {
      // No op of a function is called that, so the brace that closes the function is missing.
      if (!unwinding_) in_.error<kItemInRegion>(in_.token(), in_.text());
      unwinding_ = true;
      return;
    }
    if (top_level && items_.module_closed()) {
      in_.error<kSecondModule>(in_.token());
      return in_.give_up();
    }
    // What follows a terminator would print as operands of it.
    const OpRef last = region.back();
    if (last.valid() && last.has_trait(Traits::Terminator) &&
        (in_.at(Tok::Name) || in_.at(Tok::Value) || in_.at(Tok::String)))
      in_.error<kOpAfterTerminator>(in_.token(), last.name());
    const std::size_t begin = in_.token().begin;
    values_.begin_op(in_.token().begin);
    if (parse_op(region)) continue;
    if (unwinding_) {
      if (!in_module) return;
      unwinding_ = false;
    } else {
      in_.synchronize(begin);
    }
  }
}

bool RegionParser::parse_op(RegionRef region) {
  const std::size_t first_name = values_.result_names();
  bool ok = !in_.at(Tok::Value) || values_.parse_result_names();
  if (ok) {
    const bool has_results = values_.result_names() > first_name;
    if (in_.at(Tok::String)) {
      ok = generic_ops_.parse_generic(region, first_name);
    } else if (!in_.at(Tok::Name)) {
      ok = in_.unexpected("an op");
    } else if (has_results && starts_item(in_.text())) {
      ok = in_.error<kItemWithResults>(in_.token(), in_.text());
    } else if (in_.at_word("module")) {
      ok = items_.parse_module_op(region);
    } else if (in_.at_word("func")) {
      ok = items_.parse_func(region);
    } else if (in_.at_word("weight") || in_.at_word("state")) {
      ok = items_.parse_weight(region);
    } else {
      ok = ops_.parse_pretty(region, first_name);
    }
  }
  if (!ok) values_.define_failed(first_name);
  values_.drop_result_names(first_name);
  return ok;
}

void RegionParser::parse_text() {
  const std::uint32_t outer = values_.enter(true);
  parse_ops(module_.body(), true);
  values_.report_undefined();
  finisher_.finish_item(module_.top());
  values_.leave(outer);
}

}  // namespace mlgc::text
