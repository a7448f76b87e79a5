// See gguf_weights.h. The names and orders are those of llama.cpp's conversion from transformers.
#include "execution/gguf_weights.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

namespace mlgc {
namespace {

struct Name {
  std::string_view file, transformers;
};
constexpr std::array kOutside{Name{"token_embd.weight", "model.embed_tokens.weight"},
                              Name{"output_norm.weight", "model.norm.weight"}, Name{"output.weight", "lm_head.weight"}};
// Of a block: without `blk.N.` and `model.layers.N.`, and without `.weight` or `.bias`.
constexpr std::array kInside{Name{"attn_norm", "input_layernorm"},    Name{"attn_q", "self_attn.q_proj"},
                             Name{"attn_k", "self_attn.k_proj"},      Name{"attn_v", "self_attn.v_proj"},
                             Name{"attn_output", "self_attn.o_proj"}, Name{"attn_q_norm", "self_attn.q_norm"},
                             Name{"attn_k_norm", "self_attn.k_norm"}, Name{"ffn_norm", "post_attention_layernorm"},
                             Name{"ffn_gate", "mlp.gate_proj"},       Name{"ffn_up", "mlp.up_proj"},
                             Name{"ffn_down", "mlp.down_proj"}};

// What the conversion changed besides names. Mistral's files call themselves `llama`.
struct Architecture {
  std::string_view name;
  bool pairs_rotated = false;  // rows of queries and keys: rotated pairs stand side by side
  bool ones_added = false;     // to the scales of norms
};
constexpr std::array kArchitectures{Architecture{"llama", true, false}, Architecture{"qwen2"}, Architecture{"qwen3"},
                                    Architecture{"gemma", false, true}};

// The name in transformers; empty: none is known.
std::string transformers_name(std::string_view name) {
  for (const Name& entry : kOutside)
    if (entry.file == name) return std::string(entry.transformers);
  constexpr std::string_view kBlock = "blk.";
  if (!name.starts_with(kBlock)) return "";
  const std::size_t dot = name.find('.', kBlock.size()), last = name.rfind('.');
  if (dot == std::string_view::npos || last <= dot) return "";
  const std::string_view number = name.substr(kBlock.size(), dot - kBlock.size());
  const std::string_view inside = name.substr(dot + 1, last - dot - 1), kind = name.substr(last);
  const auto found = std::ranges::find(kInside, inside, &Name::file);
  if (found == kInside.end() || (kind != ".weight" && kind != ".bias")) return "";
  return "model.layers." + std::string(number) + "." + std::string(found->transformers) + std::string(kind);
}

// Rows (head, i, p) as rows (head, p, i), p of 2.
Tensor with_halves(const Tensor& tensor, std::int64_t heads) {
  const std::int64_t rows = tensor.dim(0), half = rows / heads / 2;
  const std::size_t row_bytes = tensor.byte_size() / static_cast<std::size_t>(std::max<std::int64_t>(rows, 1));
  Tensor out = Tensor::zeros(tensor.dtype(), tensor.shape());
  std::byte* to = out.mutable_bytes().data();
  for (std::int64_t head = 0; head < heads; ++head)
    for (std::int64_t part = 0; part < 2; ++part)
      for (std::int64_t i = 0; i < half; ++i, to += row_bytes)
        std::memcpy(to, tensor.bytes().data() + static_cast<std::size_t>((head * half + i) * 2 + part) * row_bytes,
                    row_bytes);
  return out;
}

class Loader {
 public:
  Loader(const std::string& path, const Gguf& gguf) : path_(path), gguf_(gguf) {
    const auto stated = gguf.strings.find("general.architecture");
    if (stated == gguf.strings.end()) return;
    const auto found = std::ranges::find(kArchitectures, std::string_view(stated->second), &Architecture::name);
    if (found != kArchitectures.end()) architecture_ = *found;
  }

  Result<GgufWeights> run(const std::set<std::string, std::less<>>& names) {
    GgufWeights weights;
    std::map<std::string, std::string> from;  // tensors by the names that they have here
    for (const GgufTensor& tensor : gguf_.tensors) {
      const std::string other = architecture_ ? transformers_name(tensor.name) : "";
      bool asked = false;
      if (names.contains(tensor.name)) {
        Result<Tensor> read = tensor.read();
        if (!read) return fail(tensor, read.error());
        if (const auto [first, is_new] = from.emplace(tensor.name, tensor.name); !is_new)
          return fail(tensor, "is a second one for `@" + tensor.name + "`, beside \"" + first->second + "\"");
        weights.tensors.emplace_back(tensor.name, std::move(read).value());
        asked = true;
      }
      const bool is_output = tensor.name == "token_embd.weight" && gguf_.find("output.weight") == nullptr;
      for (const std::string& name : {other, std::string(is_output && architecture_ ? "lm_head.weight" : "")}) {
        if (name.empty() || !names.contains(name)) continue;
        Result<Tensor> read = converted(tensor);
        if (!read) return fail(tensor, read.error());
        if (const auto [first, is_new] = from.emplace(name, tensor.name); !is_new)
          return fail(tensor, "is a second one for `@" + name + "`, beside \"" + first->second + "\"");
        weights.tensors.emplace_back(name, std::move(read).value());
        asked = true;
      }
      if (!asked) weights.left.push_back(tensor.name);
    }
    return weights;
  }

 private:
  [[nodiscard]] Failure<std::string> fail(const GgufTensor& tensor, const std::string& what) const {
    return Failure{path_ + ": tensor \"" + tensor.name + "\": " + what};
  }

  // As transformers has it.
  [[nodiscard]] Result<Tensor> converted(const GgufTensor& tensor) const {
    Result<Tensor> read = tensor.read();
    if (!read) return read;
    const bool keys = tensor.name.find(".attn_k.") != std::string::npos;
    if (architecture_->pairs_rotated && (keys || tensor.name.find(".attn_q.") != std::string::npos)) {
      const std::string prefix = std::string(architecture_->name) + ".attention.head_count";
      const std::string key = keys && gguf_.keys.contains(prefix + "_kv") ? prefix + "_kv" : prefix;
      const auto heads = gguf_.integers.find(key);
      if (heads == gguf_.integers.end()) return Failure{"the metadata have no integer " + key};
      if (read->rank() == 0 || heads->second <= 0 || read->dim(0) % heads->second != 0 ||
          read->dim(0) / heads->second % 2 != 0)
        return Failure{heads->first + " is " + std::to_string(heads->second) + ", which does not divide " +
                       read->type_string() + " into heads of even size"};
      return with_halves(*read, heads->second);
    }
    if (architecture_->ones_added && tensor.name.ends_with("norm.weight")) {
      Tensor scales = read->cast(Dtype::F32);
      for (float& scale : scales.mutable_data<float>()) scale -= 1.0F;
      return scales;
    }
    return read;
  }

  const std::string& path_;
  const Gguf& gguf_;
  std::optional<Architecture> architecture_;
};

}  // namespace

Result<GgufWeights> read_gguf_weights(const std::string& path, const std::set<std::string, std::less<>>& names) {
  const Result<Gguf> gguf = read_gguf(path);
  if (!gguf) return Failure{gguf.error()};
  return Loader(path, *gguf).run(names);
}

}  // namespace mlgc
