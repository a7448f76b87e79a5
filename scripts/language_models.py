"""Language models of transformers as two programs over one cache: what scripts/export-llm writes.

Guarantees
  - prefill(tokens: 1x[length], position) and decode(tokens: 1x1, position) give the logits of the last token, 1xV, and
    write keys and values of their tokens at `position` and after it into the buffers cache.keys_0, cache.values_0, …
  - Names of weights are those of transformers. Layers with a sliding window have caches of the whole context, and masks.
  - Nothing is downloaded; without a file of weights they are drawn with a fixed seed.
"""

import contextlib
import json
import os
import pathlib
import shutil

os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"

import torch
from torch import nn

import model_sources
from exporting import Example
from mlgc.errors import UsageError

DEFAULT_CONTEXT = 4096
ROTARY_FIELDS = ("partial_rotary_factor", "rope_theta", "rope_scaling")  # which configurations take and file elsewhere
EXAMPLE_LENGTH = 5  # of a prompt: no size of usual configurations
DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
# Files of tokenizers, by which hosts turn text into tokens and back.
TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model", "tokenizer_config.json", "special_tokens_map.json", "vocab.json",
                   "merges.txt", "added_tokens.json", "chat_template.jinja", "generation_config.json", "config.json")


def package():
    """transformers. ImportError: it is not there."""
    model_sources.import_torchvision()
    import transformers

    return transformers


def config_of(text, changes):
    """The configuration of a folder or file (`config.json`), or of an architecture, small as scripts/export makes it; `changes`
    by name. UsageError: there is none, or it has no such field."""
    transformers = package()
    path, (source, _, name) = pathlib.Path(text), text.partition(":")
    if source != "transformers":
        file = path / "config.json" if path.is_dir() else path
        if not file.is_file():
            raise UsageError(f"there is no file {file}; an architecture is called transformers:llama")
        try:
            config = transformers.AutoConfig.from_pretrained(file, local_files_only=True)
        except (ValueError, KeyError, OSError) as error:
            raise UsageError(f"{file}: {str(error).splitlines()[0]}") from None
    else:
        kinds = transformers.models.auto.configuration_auto.CONFIG_MAPPING
        if name not in kinds:
            raise UsageError(f"transformers has no architecture `{name}`")
        known = kinds[name]().to_dict()
        small = {key: value for key, value in model_sources.SMALL.items()
                 if isinstance(known.get(key), int) or (key.endswith("token_id") and key in known)}
        unknown = [field for field in changes if field not in known and field not in ROTARY_FIELDS]
        if unknown:
            raise UsageError(f"--set={unknown[0]}: the configuration has no such field")
        return kinds[name](**{**small, **changes})
    for field, value in changes.items():
        if not hasattr(config, field):
            raise UsageError(f"--set={field}: the configuration has no such field")
        setattr(config, field, value)
    return config


def weight_files(text):
    """Whether a folder holds weights in files of safetensors."""
    return any(pathlib.Path(text).glob("*.safetensors"))


def model_of(text, config, dtype=None):
    """A causal language model in eval mode, of the weights in the folder, or drawn ones. UsageError: there is no such model of
    the architecture, or the weights do not belong to it."""
    transformers = package()
    if type(config) not in transformers.MODEL_FOR_CAUSAL_LM_MAPPING:
        raise UsageError(f"{text}: transformers has no language model of `{config.model_type}`")
    dtype = DTYPES[dtype] if dtype else getattr(config, "dtype", None) or torch.float32
    if weight_files(text):
        try:
            model, found = transformers.AutoModelForCausalLM.from_pretrained(
                text, config=config, dtype=dtype, local_files_only=True, use_safetensors=True, output_loading_info=True)
        except (OSError, RuntimeError, ValueError) as error:
            raise UsageError(f"{text}: {str(error).splitlines()[0]}") from None
        if found["missing_keys"]:
            raise UsageError(f"{text}: no weights of {', '.join(sorted(found['missing_keys'])[:3])}")
        return model.eval()
    with model_sources.seeded() as generator:
        model = transformers.AutoModelForCausalLM.from_config(config, dtype=dtype)
        model_sources.shake(model.eval(), generator)
    return model


def context_of(config, wanted):
    """The number of positions of the cache. UsageError: the model has not so many."""
    most = getattr(config.get_text_config(), "max_position_embeddings", None)
    if wanted is None:
        return min(DEFAULT_CONTEXT, most or DEFAULT_CONTEXT)
    if wanted < 2 or (most is not None and wanted > most):
        raise UsageError(f"--context={wanted}: the model has 2 to {most} positions")
    return wanted


def cache_layers(config, context):
    """Layers of a cache of so many positions, without memory. UsageError: the architecture keeps other things than keys and values."""
    from transformers.cache_utils import StaticCache, StaticLayer, StaticSlidingWindowLayer

    class Layer(StaticLayer):
        """Keys and values at positions that the caller states; transformers counts them in a tensor of each layer."""

        position = None

        def update(self, keys, values, *_, **__):
            if not self.is_initialized:
                self.lazy_initialization(keys, values)
            places = torch.arange(keys.shape[-2]) + self.position
            self.keys.index_copy_(2, places, keys)
            self.values.index_copy_(2, places, values)
            return self.keys, self.values

        def get_seq_length(self):
            return self.position

    cache = StaticCache(config=config.get_text_config(), max_cache_len=context)
    other = [type(layer).__name__ for layer in cache.layers if type(layer) not in (StaticLayer, StaticSlidingWindowLayer)]
    if other or not cache.layers:
        raise UsageError(f"`{config.model_type}` keeps more than keys and values ({', '.join(sorted(set(other))) or 'no layers'})")
    cache.layers = [Layer(context) for _ in cache.layers]
    return cache


def stepwise(model, context):
    """The model with forward(tokens, position), and the cache as buffers."""
    cache = cache_layers(model.config, context)
    whole = type(model)

    def forward(self, tokens, position):
        layers = self.layers_of_cache.layers
        for number, layer in enumerate(layers):
            layer.position = position
            layer.keys, layer.values = getattr(self.cache, f"keys_{number}"), getattr(self.cache, f"values_{number}")
        result = whole.forward(self, input_ids=tokens, past_key_values=self.layers_of_cache, use_cache=True, logits_to_keep=1)
        for layer in layers:  # nothing that tracing made stays in them
            layer.position = layer.keys = layer.values = None
        return result.logits[:, -1]

    for layer in cache.layers:
        layer.position = torch.tensor(0)
    with torch.no_grad():  # makes the tensors, of the shapes that the model has
        model(input_ids=torch.zeros(1, 1, dtype=torch.int64), past_key_values=cache, use_cache=True)
    model.__class__ = type(whole.__name__, (whole,), {"forward": forward})
    model.layers_of_cache, model.cache = cache, nn.Module()
    for number, layer in enumerate(cache.layers):
        if not layer.is_initialized:
            raise UsageError(f"layer {number} of `{model.config.model_type}` does not use the cache")
        model.cache.register_buffer(f"keys_{number}", layer.keys.zero_(), persistent=False)
        model.cache.register_buffer(f"values_{number}", layer.values.zero_(), persistent=False)
    return model


def examples(model, context):
    """prefill and decode of a model that stepwise() made, by name."""
    tokens = torch.arange(3, 3 + min(EXAMPLE_LENGTH, context))[None] % model.config.get_text_config().vocab_size
    length = torch.export.Dim("length", min=1, max=context)
    return {"prefill": Example(model, (tokens, torch.tensor(0)), shapes={"tokens": {1: length}, "position": None}),
            "decode": Example(model, (tokens[:, :1], torch.tensor(0)))}


def copy_tokenizer(text, folder):
    """Copies what the folder of the model has of TOKENIZER_FILES; their names."""
    copied = []
    if pathlib.Path(text).is_dir():
        for name in TOKENIZER_FILES:
            if (source := pathlib.Path(text) / name).is_file():
                with contextlib.suppress(shutil.SameFileError):
                    shutil.copyfile(source, folder / name)
                copied.append(name)
    return copied


def parsed_change(text):
    """`KEY=VALUE` of a configuration; VALUE is JSON, or a text. ValueError: it has another form."""
    name, equal, value = text.partition("=")
    if not (equal and name.isidentifier()):
        raise ValueError(f"--set={text}: write KEY=VALUE, as hidden_size=64")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
