// See json_writer.h.
#include "diag/json_writer.h"

#include "diag/render.h"

namespace mlgc {

void JsonWriter::separate() {
  const bool first = out_.back() == '{' || out_.back() == '[';
  if (!first) out_ += ',';
  if (line_)
    (out_ += '\n').append(*line_, ' ');
  else if (spaced_ && !first)
    out_ += ' ';
  line_.reset();
}

void JsonWriter::key(std::string_view name) {
  string(name);
  out_ += spaced_ ? ": " : ":";
}

void JsonWriter::open(std::string_view name, char bracket) {
  key(name);
  out_ += bracket;
}

void JsonWriter::close(char bracket) {
  if (line_) (out_ += '\n').append(*line_, ' ');
  line_.reset();
  out_ += bracket;
}

void JsonWriter::string(std::string_view text) {
  separate();
  append_json_string(out_, text);
}

void JsonWriter::member(std::string_view name, std::string_view text) {
  key(name);
  append_json_string(out_, text);
}

void JsonWriter::number(std::string_view name, std::string_view digits) {
  key(name);
  out_ += digits;
}

std::string JsonWriter::take() {
  close('}');
  out_ += '\n';
  return std::move(out_);
}

}  // namespace mlgc
