// See dim_flag.h.
#include "driver/dim_flag.h"

#include <charconv>

#include "diag/kinds_driver.h"

namespace mlgc {

Result<SizeBinding, SpecFault> parse_dim_flag(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return Failure<std::string>{"write --dim=NAME=SIZE"};
  SizeBinding dim{std::string(text.substr(0, equals)), 0};
  const std::string_view size = text.substr(equals + 1);
  const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), dim.size);
  const bool is_number = end == size.data() + size.size() && !size.empty();
  if (is_number && size.front() == '-') return Failure{"`" + std::string(size) + "` is negative; a size is 0 or more"};
  if (is_number && error == std::errc::result_out_of_range)
    return Failure{SpecFault{"`" + std::string(size) + "` is larger than any size: at most 2^63 - 1", true}};
  if (error != std::errc{} || end != size.data() + size.size() || dim.size < 0)
    return Failure{"`" + std::string(size) + "` is not a size"};
  return dim;
}

std::optional<Diagnostic> read_dim_flags(const std::vector<std::string>& texts, std::string_view command,
                                         std::vector<SizeBinding>& dims) {
  for (const std::string& text : texts) {
    Result<SizeBinding, SpecFault> dim = parse_dim_flag(text);
    if (!dim && dim.error().too_large) return diagnose<kSizeTooLarge>({}, "`--dim=" + text + "`: " + dim.error().what);
    if (!dim) return diagnose<kBadFlag>({}, "--dim=" + text + ": " + dim.error().what, command);
    for (const SizeBinding& other : dims)
      if (other.name == dim->name)
        return diagnose<kBadFlag>({}, "--dim=" + text + ": the size is given twice", command);
    dims.push_back(*std::move(dim));
  }
  return std::nullopt;
}

}  // namespace mlgc
