"""Models by name, with random weights and small: torchvision:resnet18, timm:vit_tiny_patch16_224, transformers:bert, and
module:function or file.py:function of one's own.

Guarantees
  - Weights and inputs are drawn with a fixed seed; nothing is downloaded.
  - Parameters that initialisation leaves constant (scales of norms, zero gammas and biases) and the statistics of batch
    norms are moved off their values, so that no part of a network computes a constant.
"""

import contextlib
import importlib
import importlib.util
import inspect
import operator
import pathlib
import sys
import warnings

import torch
from torch import nn

from exporting import Example  # makes the package known

import mlgc.inputs
from mlgc.errors import UsageError
from mlgc.inputs import SEED

BATCH = 2  # a size of 1 would be exported as the constant 1
PACKAGES = ("torchvision", "timm", "transformers")


def import_torchvision():
    """The torchvision of PyPI is built for a torch with CUDA. Beside another one its operators cannot be loaded, and
    without a declaration of those that it describes itself nothing of it is imported."""
    spec = importlib.util.find_spec("torchvision")
    if spec is not None and "torchvision" not in sys.modules:
        library = next(pathlib.Path(spec.origin).parent.glob("_C*.so"), None)
        try:
            torch.ops.load_library(library)
        except OSError:
            for name in ("nms", "qnms"):
                torch.library.define(f"torchvision::{name}", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    return importlib.import_module("torchvision")


def missing_packages():
    """Why a package of PACKAGES cannot be imported, by its name."""
    reasons = {}
    for name in PACKAGES:
        try:
            import_torchvision()  # the others import it too
            importlib.import_module(name)
        except ImportError as error:
            reasons[name] = str(error)
    return reasons


def shake(model, generator):
    """See the head of the file."""
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.is_floating_point() and parameter.numel() > 0 and bool((parameter == parameter.flatten()[0]).all()):
                parameter += 0.1 * torch.randn(parameter.shape, generator=generator).to(parameter.dtype)
        for module in model.modules():
            if getattr(module, "running_var", None) is not None:
                module.running_mean.uniform_(-0.1, 0.1, generator=generator)
                module.running_var.uniform_(0.5, 2, generator=generator)


@contextlib.contextmanager
def seeded():
    """What is drawn does not depend on what was drawn before."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        yield torch.Generator().manual_seed(SEED)


def made(source, name, options, inputs=None, edit=None):
    """A model of a package after `edit(model)`, and its inputs: what `inputs(generator)` gives, by position where that is
    a tuple, else by name; without it what such a model usually takes."""
    warnings.filterwarnings("ignore")
    with seeded() as generator:
        model = BUILDERS[source](name, dict(options))
        if edit is not None:
            edit(model)
        shake(model.eval(), generator)
        given = (inputs or default_inputs(source, model))(generator)
        return Example(model, given) if isinstance(given, tuple) else Example(model, kwargs=given)


def torchvision_model(name, options):
    """Functions such as resnet18 fix most sizes; the option `constructor` names the class behind one."""
    import_torchvision()
    models = importlib.import_module("torchvision.models")
    if "constructor" in options:
        return operator.attrgetter(options.pop("constructor"))(models)(**options)
    options.setdefault("weights", None)
    if "weights_backbone" in inspect.signature(models.get_model_builder(name)).parameters:
        options.setdefault("weights_backbone", None)
    return models.get_model(name, **options)


def timm_model(name, options):
    import_torchvision()
    return importlib.import_module("timm").create_model(name, pretrained=False, **options)


# Sizes under the many names that configurations have for them; a row of the zoo may say otherwise.
SMALL = {
    "hidden_size": 32, "d_model": 32, "n_embd": 32, "dim": 32, "emb_dim": 32, "embedding_size": 32, "d_embed": 32,
    "num_hidden_layers": 2, "num_layers": 2, "n_layer": 2, "n_layers": 2, "encoder_layers": 2, "decoder_layers": 2,
    "num_decoder_layers": 2,
    "num_attention_heads": 4, "n_head": 4, "n_heads": 4, "num_heads": 4, "encoder_attention_heads": 4,
    "decoder_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8, "d_kv": 8,
    "intermediate_size": 48, "n_inner": 48, "ffn_dim": 48, "encoder_ffn_dim": 48, "decoder_ffn_dim": 48, "d_ff": 48,
    "hidden_dim": 48, "d_inner": 48,
    "vocab_size": 64, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "max_position_embeddings": 64, "n_positions": 64,
    "image_size": 32, "patch_size": 8,
}


def transformers_model(name, options):
    """The base model of an architecture, or the one that the option `head` names, e.g. CausalLM."""
    import_torchvision()
    transformers = importlib.import_module("transformers")
    auto = getattr(transformers, "AutoModel" + (f"For{options.pop('head')}" if "head" in options else ""))
    attention = {"attn_implementation": options.pop("attention")} if "attention" in options else {}
    whole = options.pop("as_is", False)  # leaves sizes that are not given alone
    kind = transformers.models.auto.configuration_auto.CONFIG_MAPPING[name]
    known = kind().to_dict()
    sizes = {} if whole else {key: value for key, value in SMALL.items() if isinstance(known.get(key), int)}
    if not whole:
        sizes |= {key: value for key, value in SMALL.items() if key.endswith("token_id") and key in known}
    options.setdefault("use_cache", False)
    if "use_cache" not in known:
        options.pop("use_cache")
    return auto.from_config(kind(**{**sizes, **options}), **attention)


BUILDERS = {"torchvision": torchvision_model, "timm": timm_model, "transformers": transformers_model}


# --- inputs ----------------------------------------------------------------------------------------------------------


def image(size=32, channels=3, batch=BATCH):
    return lambda generator: (torch.randn(batch, channels, size, size, generator=generator),)


def video(size=32, frames=8):
    return lambda generator: (torch.randn(BATCH, 3, frames, size, size, generator=generator),)


def values(**shapes):
    """Random numbers by name."""
    return lambda generator: {name: torch.randn(shape, generator=generator) for name, shape in shapes.items()}


def draw_tokens(generator, length, vocabulary=64):
    return torch.randint(3, vocabulary, (BATCH, length), generator=generator)


def padding(length):
    """A mask that leaves out the last two of the first row."""
    mask = torch.ones(BATCH, length, dtype=torch.int64)
    mask[0, -2:] = 0
    return mask


def tokens(length=8, mask=True):
    def draw(generator):
        inputs = {"input_ids": draw_tokens(generator, length)}
        return inputs | ({"attention_mask": padding(length)} if mask else {})

    return draw


def sequences(length=8, target=6, **more):
    """For an encoder and a decoder; `more` takes the place of the encoder's tokens."""

    def draw(generator):
        inputs = {name: torch.randn(shape, generator=generator) for name, shape in more.items()}
        if not more:
            inputs = tokens(length)(generator)
        return inputs | {"decoder_input_ids": draw_tokens(generator, target)}

    return draw


def pictures(size=32):
    return values(pixel_values=(BATCH, 3, size, size))


def sound(samples=1600):
    return values(input_values=(BATCH, samples))


def text_and_image(length=8, size=32):
    return lambda generator: tokens(length)(generator) | pictures(size)(generator)


def default_inputs(source, model):
    """Inputs for a model of a package that the zoo has no row of."""
    if source == "transformers":
        if getattr(model, "main_input_name", "input_ids") == "pixel_values":
            return pictures(getattr(model.config, "image_size", 32))
        if getattr(model.config, "is_encoder_decoder", False):
            return sequences()
        return tokens()
    size = 64
    if source == "timm":
        size = model.pretrained_cfg["input_size"][-1]
    return image(size)


# --- names -----------------------------------------------------------------------------------------------------------


def named_model(text):
    """The Example that a name such as timm:resnet18 means: the row of the zoo if there is one, else the package's own."""
    from zoo_models import find_row

    source, _, name = text.partition(":")
    row = find_row(source, name)
    return row.make() if row is not None else made(source, name, {})


def module_of(home):
    """The module of a name as Python imports it, from the current folder too, or of a file."""
    if not home.endswith(".py"):
        sys.path.insert(0, str(pathlib.Path.cwd()))
        return importlib.import_module(home)
    path = pathlib.Path(home).resolve()
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {home}")
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def own_model(text):
    """What a function of a module or a file returns: a model, or a model and its arguments, or these and keyword arguments."""
    home, _, function = text.rpartition(":")
    with seeded():
        returned = getattr(module_of(home), function)()
    if isinstance(returned, nn.Module):
        return Example(returned.eval())
    if not (isinstance(returned, tuple) and len(returned) in (2, 3) and isinstance(returned[0], nn.Module)):
        raise TypeError(f"{text} must return a torch.nn.Module, or (model, args), or (model, args, kwargs)")
    model, args, *kwargs = returned
    return Example(model.eval(), tuple(args), dict(*kwargs))


# --- example inputs by text ------------------------------------------------------------------------------------------

def parse_input(text):
    """`[NAME=]2x7xi64[=VALUE]` as (name or "", tensor). ValueError: it has another form."""
    try:
        name, value = mlgc.inputs.parse(text)
    except UsageError as error:
        raise ValueError(f"--input={error}") from None
    if not isinstance(value, torch.Tensor):
        raise ValueError(f"--input={text}: write [NAME=]SHAPExTYPE[=VALUE], e.g. tokens=2x7xi64=rand:lo=0,hi=50")
    return name, value


def replace_inputs(example, given):
    """Gives the model these inputs, as parse_input gives them, instead of its own."""
    if given:
        example.args = tuple(value for name, value in given if not name)
        example.kwargs = {name: value for name, value in given if name}


def parse_dynamic(text):
    """`INPUT:AXIS=SYMBOL[:LEAST[:MOST]]` as (input, axis, symbol, range)."""
    place, _, size = text.partition("=")
    name, _, axis = place.partition(":")
    symbol, *bounds = size.split(":")
    if not (name and axis.isdigit() and symbol.isidentifier() and len(bounds) <= 2 and all(b.isdigit() for b in bounds)):
        raise ValueError(f"--dynamic={text}: write INPUT:AXIS=SYMBOL[:LEAST[:MOST]], e.g. tokens:0=batch:1:64")
    return name, int(axis), symbol, dict(zip(("min", "max"), map(int, bounds)))


def make_dynamic(example, sizes):
    """Lets the sizes vary that parse_dynamic gave."""
    if not sizes:
        return
    bound = inspect.signature(example.model.forward).bind(*example.args, **example.kwargs).arguments
    symbols, shapes = {}, {name: None for name in bound}
    for name, axis, symbol, bounds in sizes:
        if name not in bound:
            raise ValueError(f"--dynamic: there is no input `{name}`; there are {', '.join(bound)}")
        symbols.setdefault(symbol, torch.export.Dim(symbol, **bounds))
        shapes[name] = (shapes[name] or {}) | {axis: symbols[symbol]}
    example.shapes = shapes
