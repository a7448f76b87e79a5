// See failure.h.
#include "driver/failure.h"

#include <cctype>

#include "diag/diagnostic.h"

namespace mlgc {
namespace {

// The text after `start`, up to `end`; empty when it is not there.
std::string_view between(std::string_view text, std::string_view start, std::string_view end) {
  const std::size_t at = text.find(start);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + start.size());
  return rest.substr(0, rest.find(end));
}

struct FirstError {
  std::string_view kind, message;
};

FirstError first_error(std::string_view output) {
  constexpr std::string_view kSeverity = R"("severity":"error")";
  if (const std::size_t at = output.find(kSeverity); at != std::string_view::npos) {
    const std::size_t kind = output.rfind(R"("kind":")", at);
    std::string_view message = between(output.substr(at), R"("message":")", R"(",")");
    return {kind == std::string_view::npos ? "" : between(output.substr(kind), R"("kind":")", "\""), message};
  }
  for (const std::string_view start : {"error: ", "AddressSanitizer: ", "Assertion `"})
    if (const std::string_view message = between(output, start, "\n"); !message.empty()) return {"", message};
  return {};
}

// Without numbers, names of values and functions, and what stands before the last slash of paths.
std::string normal(std::string_view message) {
  std::string out;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const char c = message[i];
    if (c == '%' || c == '@') {
      out += c;
      while (i + 1 < message.size() && (std::isalnum(static_cast<unsigned char>(message[i + 1])) != 0 ||
                                        message[i + 1] == '_' || message[i + 1] == '.' || message[i + 1] == '$'))
        ++i;
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      if (out.empty() || out.back() != '#') out += '#';
    } else if (c == '/' && !out.empty()) {
      while (!out.empty() && out.back() != ' ' && out.back() != '`') out.pop_back();
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

Result<KeepFlag> parse_keep_flag(std::string_view text) {
  if (text == "crash") return KeepFlag{KeepFlag::Kind::Crash, ""};
  if (text == "mismatch") return KeepFlag{KeepFlag::Kind::Mismatch, ""};
  constexpr std::string_view kError = "error:";
  if (!text.starts_with(kError)) return Failure<std::string>{"write crash, mismatch or error:KIND"};
  const std::string_view id = text.substr(kError.size());
  if (find_kind(id) == nullptr) return Failure{"there is no kind of error `" + std::string(id) + "`"};
  return KeepFlag{KeepFlag::Kind::Error, std::string(id)};
}

std::string FailureSignature::text() const {
  std::string out = how;
  if (!pass.empty()) out += ", pass " + pass;
  if (!rewrite.empty()) out += ", rewrite " + rewrite;
  if (!message.empty()) out += ": " + message;
  return out;
}

std::optional<FailureSignature> signature_of(int exit_code, std::string_view output, const KeepFlag& keep) {
  const FirstError error = first_error(output);
  FailureSignature signature;
  signature.pass = between(error.message, "pass `", "`");
  const bool signal = exit_code > 128 && exit_code < 160;
  switch (keep.kind) {
    case KeepFlag::Kind::Crash:
      if (!signal && exit_code != static_cast<int>(ExitCode::Internal)) return std::nullopt;
      signature.how = signal ? "signal " + std::to_string(exit_code - 128) : "exit " + std::to_string(exit_code);
      signature.message = normal(error.message);
      return signature;
    case KeepFlag::Kind::Mismatch:
      if (exit_code != static_cast<int>(ExitCode::Mismatch)) return std::nullopt;
      signature.how = "mismatch";
      // `rewrite 3, `rule`, is at fault`
      if (const std::size_t at = output.find("`, is at fault"); at != std::string_view::npos) {
        const std::string_view before = output.substr(0, at);
        signature.rewrite = before.substr(before.rfind('`') + 1);
      }
      return signature;
    case KeepFlag::Kind::Error: {
      const DiagKind* kind = find_kind(keep.error);
      if (exit_code == 0 || kind == nullptr) return std::nullopt;
      if (error.kind != keep.error) return std::nullopt;
      signature.how = keep.error;
      signature.message = normal(error.message);
      return signature;
    }
  }
  return std::nullopt;
}

}  // namespace mlgc
