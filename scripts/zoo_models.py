"""The models of scripts/zoo: one row an architecture, small, with inputs.

What makes a row small is its options: those of the package's own constructor (torchvision, timm) or configuration
(transformers, on top of SMALL in model_sources.py). Operators of an architecture depend on neither width nor depth.
"""

import dataclasses
import inspect
import typing

import torch
from torch import nn

import model_sources
from model_sources import image, pictures, sequences, sound, text_and_image, tokens, values, video


@dataclasses.dataclass(frozen=True)
class Row:
    source: str
    architecture: str
    family: str
    options: dict
    inputs: typing.Callable
    dynamic: bool = False  # the batch is a symbol
    quick: bool = False  # of the small zoo that ctest runs
    edit: typing.Callable | None = None  # changes the model where no option makes it small

    @property
    def name(self):
        return f"{self.source}:{self.architecture}"

    def description(self):
        """Says the same in every run, and something else when the model or its inputs are others."""
        made = [f"{what.__qualname__}{sorted(inspect.getclosurevars(what).nonlocals.items(), key=str)}"
                for what in (self.inputs, self.edit) if what is not None]
        return f"{self.name} {self.options} {self.dynamic} {made}"

    def make(self):
        example = model_sources.made(self.source, self.architecture, self.options, self.inputs, self.edit)
        if self.dynamic:
            given = inspect.signature(example.model.forward).bind(*example.args, **example.kwargs).arguments
            model_sources.make_dynamic(example, [(name, 0, "batch", {"min": 1, "max": 64}) for name in given])
        return example


def rows_of(source, family):
    """Makes rows that share a source and a family."""

    def row(architecture, inputs, dynamic=False, quick=False, edit=None, **options):
        return Row(source, architecture, family, options, inputs, dynamic, quick, edit)

    return row


def head(inside, *path):
    """Puts a small classifier in place of two layers of 4096."""

    def edit(model):
        setattr(model, "classifier", nn.Sequential(nn.Linear(inside, 16), nn.ReLU(), nn.Dropout(), nn.Linear(16, 10)))

    return edit


def torchvision_rows():
    model_sources.import_torchvision()
    from torchvision.models.resnet import Bottleneck
    from torchvision.models.swin_transformer import PatchMergingV2, SwinTransformerBlockV2
    from torchvision.models.video.mvit import MSBlockConfig

    net = rows_of("torchvision", "convolutional")
    yield net("alexnet", image(64), edit=head(256 * 36))
    yield net("vgg11_bn", image(32), edit=head(512 * 49))
    yield net("resnet18", image(32), dynamic=True, quick=True)
    yield net("resnext50_32x4d", image(32), num_classes=10)
    yield net("wide_resnet50_2", image(32), constructor="ResNet", block=Bottleneck, layers=[1, 1, 1, 1], width_per_group=32)
    yield net("densenet121", image(32), constructor="DenseNet", growth_rate=8, block_config=(2, 2, 2, 2), num_init_features=16)
    yield net("googlenet", image(64), aux_logits=False, init_weights=False)
    yield net("inception_v3", image(96), aux_logits=False, init_weights=False)
    yield net("squeezenet1_1", image(64))
    yield net("regnet_x_400mf", image(32))
    yield net("regnet_y_400mf", image(32), dynamic=True)
    yield net("convnext_tiny", image(32), num_classes=10)
    net = rows_of("torchvision", "mobile")
    yield net("mobilenet_v2", image(32), dynamic=True, quick=True)
    yield net("mobilenet_v3_small", image(32))
    yield net("mnasnet0_5", image(32))
    yield net("shufflenet_v2_x0_5", image(32), quick=True)
    yield net("efficientnet_b0", image(32))
    yield net("efficientnet_v2_s", image(32))
    net = rows_of("torchvision", "vision transformer")
    yield net("vit_b_16", image(32), constructor="VisionTransformer", image_size=32, patch_size=8, num_layers=2, num_heads=2,
              hidden_dim=32, mlp_dim=48)
    small = {"patch_size": [4, 4], "embed_dim": 12, "depths": [2, 2], "num_heads": [1, 2], "window_size": [4, 4]}
    yield net("swin_t", image(32), constructor="SwinTransformer", **small)
    yield net("swin_v2_t", image(32), constructor="swin_transformer.SwinTransformer", block=SwinTransformerBlockV2,
              downsample_layer=PatchMergingV2, **small)
    yield net("maxvit_t", image(64), constructor="MaxVit", input_size=(64, 64), stem_channels=8, partition_size=4,
              block_channels=[8, 16], block_layers=[1, 1], head_dim=4, stochastic_depth_prob=0.1, num_classes=10)
    net = rows_of("torchvision", "segmentation and detection")
    yield net("fcn_resnet50", image(32), num_classes=3)
    yield net("deeplabv3_mobilenet_v3_large", image(64), num_classes=3)
    yield net("lraspp_mobilenet_v3_large", image(64), num_classes=3)
    net = rows_of("torchvision", "video")
    yield net("r3d_18", video(16, 4))
    yield net("mc3_18", video(16, 4))
    yield net("r2plus1d_18", video(16, 4))
    blocks = [MSBlockConfig(1, 12, 12, [3, 3, 3], [3, 3, 3], [1, 1, 1], [1, 2, 2]),
              MSBlockConfig(2, 12, 24, [3, 3, 3], [3, 3, 3], [1, 2, 2], [1, 1, 1])]
    yield net("mvit_v1_b", video(32, 4), constructor="video.MViT", spatial_size=(32, 32), temporal_size=4,
              block_setting=blocks, residual_pool=False, residual_with_cls_embed=True, rel_pos_embed=False,
              proj_after_attn=False)
    yield net("swin3d_t", video(32, 4), constructor="video.SwinTransformer3d", patch_size=[2, 4, 4], embed_dim=12,
              depths=[2, 2], num_heads=[1, 2], window_size=[2, 4, 4])
    net = rows_of("torchvision", "optical flow")
    yield net("raft_small", two_images(128))


def two_images(size):
    return lambda generator: tuple(image(size)(generator)[0] for _ in range(2))


def timm_rows():
    net = rows_of("timm", "convolutional")
    yield net("resnetv2_50", image(32), layers=(1, 1, 1, 1), channels=(16, 32, 64, 64), num_classes=10)
    yield net("resnet26t", image(32), layers=(1, 1, 1, 1), channels=(16, 16, 32, 32))
    yield net("seresnet18", image(32))
    yield net("ecaresnet50t", image(32), layers=(1, 1, 1, 1), channels=(16, 16, 32, 32))
    yield net("skresnet18", image(32))
    yield net("resnest14d", image(32))
    yield net("res2net50_26w_4s", image(32), layers=(1, 1, 1, 1), num_classes=10)
    yield net("dla34", image(64))
    yield net("dpn48b", image(64), num_classes=10)
    yield net("cspresnet50", image(64), num_classes=10)
    yield net("darknet17", image(64), num_classes=10)
    yield net("selecsls42b", image(64), num_classes=10)
    yield net("hrnet_w18_small", image(64), num_classes=10)
    yield net("vovnet39a", image(64), num_classes=10)
    yield net("xception41", image(64), num_classes=10)
    yield net("nf_resnet26", image(32), num_classes=10)
    yield net("nfnet_l0", image(32), num_classes=10)
    yield net("repvgg_a0", image(32), num_classes=10)
    yield net("convnext_atto", image(32), depths=(1, 1, 1, 1), dims=(8, 16, 24, 32), quick=True)
    yield net("convnextv2_atto", image(32), depths=(1, 1, 1, 1), dims=(8, 16, 24, 32))
    yield net("inception_next_atto", image(32), depths=(1, 1, 1, 1), dims=(8, 16, 24, 32))
    yield net("focalnet_tiny_srf", image(32))
    yield net("hgnet_tiny", image(32), num_classes=10)
    yield net("mambaout_femto", image(32), depths=(1, 1, 1, 1), dims=(8, 16, 24, 32))
    yield net("rdnet_tiny", image(64), num_classes=10)
    yield net("starnet_s1", image(64))
    yield net("fasternet_t0", image(64))
    yield net("convmixer_768_32", image(28))
    net = rows_of("timm", "mobile")
    yield net("ghostnet_050", image(32))
    yield net("mobilenetv4_conv_small_035", image(64))
    yield net("mixnet_s", image(32))
    yield net("tinynet_e", image(32))
    yield net("lcnet_035", image(32), dynamic=True)
    yield net("rexnet_100", image(32))
    yield net("repvit_m0_9", image(64))
    yield net("edgenext_xx_small", image(64))
    yield net("mobileone_s0", image(32))
    yield net("fbnetc_100", image(32))
    net = rows_of("timm", "vision transformer")
    small = {"img_size": 32, "embed_dim": 24, "depth": 2, "num_heads": 2}
    yield net("vit_tiny_patch16_224", image(32), dynamic=True, quick=True, **small)
    yield net("deit_tiny_distilled_patch16_224", image(32), **small)
    yield net("deit3_small_patch16_224", image(32), **small)
    yield net("vit_relpos_small_patch16_224", image(32), **small)
    yield net("eva02_tiny_patch14_224", image(28), **(small | {"img_size": 28, "embed_dim": 32}))
    yield net("beit_base_patch16_224", image(32), **small)
    yield net("cait_xxs24_224", image(32), **small)
    yield net("xcit_nano_12_p16_224", image(32), **small)
    yield net("convit_tiny", image(32), **(small | {"embed_dim": 12}))
    yield net("crossvit_tiny_240", image(240), embed_dim=(8, 16), depth=((1, 1, 0),), num_heads=(2, 2))
    yield net("tnt_s_patch16_224", image(32), img_size=32, embed_dim=24, inner_dim=8, depth=2, num_heads_inner=2,
              num_heads_outer=2)
    yield net("volo_d1_224", image(64), img_size=64)
    yield net("swin_tiny_patch4_window7_224", image(32), img_size=32, window_size=4, embed_dim=12, depths=(1, 2),
              num_heads=(1, 2), quick=True)
    yield net("swinv2_tiny_window8_256", image(32), img_size=32, window_size=4, embed_dim=12, depths=(1, 2), num_heads=(1, 2))
    yield net("twins_svt_small", image(64), img_size=64, embed_dims=(8, 16, 24, 32), depths=(1, 1, 1, 1),
              num_heads=(1, 2, 2, 2))
    yield net("pvt_v2_b0", image(64), depths=(1, 1, 1, 1), embed_dims=(8, 16, 24, 32), num_heads=(1, 1, 2, 2))
    yield net("pit_ti_224", image(64), img_size=64)
    yield net("nest_tiny", image(64), img_size=64)
    yield net("gcvit_xxtiny", image(64), img_size=64)
    yield net("davit_tiny", image(64), depths=(1, 1, 1, 1), embed_dims=(8, 16, 24, 32), num_heads=(1, 2, 2, 2))
    yield net("hiera_tiny_224", image(224), embed_dim=8, num_heads=1, stages=(1, 1, 1, 1))
    yield net("mvitv2_tiny", image(64), img_size=64)
    net = rows_of("timm", "hybrid")
    yield net("levit_128s", image(224), embed_dim=(16, 24, 32), key_dim=8, num_heads=(2, 2, 2), depth=(1, 1, 1))
    yield net("mobilevit_xxs", image(64))
    yield net("mobilevitv2_050", image(64))
    yield net("efficientformer_l1", image(224), embed_dims=(8, 12, 16, 24), depths=(1, 1, 1, 2))
    yield net("efficientvit_b0", image(64))
    yield net("efficientvit_m0", image(224))
    yield net("coatnet_nano_rw_224", image(64), img_size=64)
    yield net("coat_tiny", image(64), img_size=64)
    yield net("fastvit_t8", image(64))
    yield net("poolformer_s12", image(64))
    yield net("caformer_s18", image(64))
    yield net("visformer_tiny", image(224), embed_dim=24, depth=(1, 1, 1), num_heads=2)
    yield net("lambda_resnet26t", image(64), num_classes=10)
    yield net("botnet26t_256", image(256), num_classes=10)
    net = rows_of("timm", "mlp")
    yield net("mixer_s32_224", image(64), img_size=64, quick=True)
    yield net("gmixer_24_224", image(32), img_size=32)
    yield net("gmlp_ti16_224", image(32), img_size=32)
    yield net("resmlp_12_224", image(32), img_size=32)


def language_rows():
    net = rows_of("transformers", "encoder")
    for name in ("bert", "roberta", "electra", "mpnet", "layoutlm", "megatron-bert", "ernie", "xlm-roberta", "roformer",
                 "rembert", "splinter", "esm", "deberta", "deberta-v2", "ibert", "convbert", "luke"):
        options = {}
        if name == "rembert":
            options = {"input_embedding_size": 16, "output_embedding_size": 16}
        if name in ("roberta", "xlm-roberta", "mpnet", "ibert", "luke"):
            options = {"pad_token_id": 1, "bos_token_id": 0}
        if name == "luke":
            options |= {"entity_vocab_size": 16, "entity_emb_size": 16}
        if name == "convbert":
            options = {"conv_kernel_size": 3}
        if name == "esm":
            options = {"mask_token_id": 3, "pad_token_id": 1, "vocab_size": 64}
        yield net(name, tokens(), quick=name == "bert", dynamic=name in ("bert", "electra"), **options)
    yield net("albert", tokens(), embedding_size=16)
    yield net("distilbert", tokens())
    yield net("squeezebert", tokens(), embedding_size=32)
    yield net("mobilebert", tokens(), true_hidden_size=16, intra_bottleneck_size=16, embedding_size=16,
              num_feedforward_networks=2)
    yield net("modernbert", tokens())
    yield net("fnet", tokens(mask=False))
    yield net("xlnet", tokens(), d_inner=48, d_head=8)
    yield net("xlm", tokens())
    yield net("big_bird", tokens(), attention_type="original_full")
    yield net("canine", tokens(64), num_hash_buckets=64, upsampling_kernel_size=4, local_transformer_stride=16)
    net = rows_of("transformers", "decoder")
    yield net("gpt2", tokens(), quick=True, head="CausalLM")
    for name in ("gpt_neox", "gptj", "opt", "bloom", "llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2", "gemma3_text",
                 "phi", "phi3", "falcon", "mpt", "codegen", "stablelm", "starcoder2", "olmo2", "cohere", "granite",
                 "persimmon", "smollm3", "ctrl", "biogpt", "glm4", "nemotron", "gpt_bigcode", "diffllama"):
        options = {"head": "CausalLM"}
        if name in ("gptj", "codegen"):
            options |= {"rotary_dim": 4}
        if name == "opt":
            options |= {"word_embed_proj_dim": 32}
        if name in ("phi", "stablelm", "persimmon", "glm4", "nemotron"):
            options |= {"partial_rotary_factor": 0.5}
        if name in ("phi", "persimmon", "stablelm", "nemotron"):
            options |= {"num_key_value_heads": 4}
        if name == "ctrl":
            options |= {"dff": 48}
        yield net(name, tokens(), quick=name == "llama", dynamic=name in ("llama", "qwen2"), **options)
    yield net("gpt_neo", tokens(), head="CausalLM", attention_types=[[["global", "local"], 1]], window_size=4)
    net = rows_of("transformers", "mixture of experts")
    moe = {"head": "CausalLM", "experts_implementation": "batched_mm"}
    yield net("mixtral", tokens(), num_local_experts=4, **moe)
    yield net("qwen3_moe", tokens(), num_experts=4, num_experts_per_tok=2, moe_intermediate_size=16, **moe)
    yield net("olmoe", tokens(), num_experts=4, num_experts_per_tok=2, **moe)
    yield net("gpt_oss", tokens(), num_local_experts=4, num_experts_per_tok=2, **moe)
    yield net("deepseek_v3", tokens(), n_routed_experts=4, num_experts_per_tok=2, n_group=2, topk_group=1,
              moe_intermediate_size=16, q_lora_rank=16, kv_lora_rank=16, qk_rope_head_dim=8, qk_nope_head_dim=8,
              v_head_dim=8, first_k_dense_replace=1, num_key_value_heads=4, **moe)
    net = rows_of("transformers", "state space and recurrent")
    yield net("mamba", tokens(mask=False), head="CausalLM", state_size=4, time_step_rank=4)
    yield net("mamba2", tokens(mask=False), head="CausalLM", state_size=4, num_heads=8, head_dim=8, n_groups=1, chunk_size=4)
    yield net("falcon_mamba", tokens(mask=False), head="CausalLM", state_size=4, time_step_rank=4)
    yield net("rwkv", tokens(mask=False), attention_hidden_size=32)
    yield net("recurrent_gemma", tokens(), lru_width=32, attention_window_size=4, num_hidden_layers=3)
    yield net("jamba", tokens(), num_experts=2, mamba_d_state=4, mamba_dt_rank=4, attn_layer_period=2, attn_layer_offset=1,
              use_mamba_kernels=False)
    net = rows_of("transformers", "encoder-decoder")
    yield net("t5", sequences(), quick=True)
    for name in ("mt5", "bart", "mbart", "pegasus", "marian", "blenderbot", "m2m_100", "prophetnet", "longt5"):
        options = {"decoder_start_token_id": 2}
        if name == "prophetnet":
            options |= {"num_encoder_layers": 2, "num_encoder_attention_heads": 4, "num_decoder_attention_heads": 4, "ngram": 2}
        yield net(name, sequences(), **options)


def other_rows():
    net = rows_of("transformers", "audio")
    convolutions = {"conv_dim": (8, 8), "conv_kernel": (10, 3), "conv_stride": (5, 2), "num_feat_extract_layers": 2,
                    "num_conv_pos_embeddings": 4, "num_conv_pos_embedding_groups": 2}
    yield net("whisper", sequences(input_features=(2, 80, 40)), max_source_positions=20, max_target_positions=16,
              num_mel_bins=80, quick=True)
    yield net("wav2vec2", sound(), **convolutions)
    yield net("hubert", sound(), **convolutions)
    yield net("wavlm", sound(), **convolutions)
    yield net("sew", sound(), squeeze_factor=2, **convolutions)
    yield net("speech_to_text", sequences(input_features=(2, 24, 16)), input_feat_per_channel=16, max_source_positions=32,
              max_target_positions=16, conv_channels=16)
    yield net("audio-spectrogram-transformer", values(input_values=(2, 64, 32)), max_length=64, num_mel_bins=32)
    net = rows_of("transformers", "vision transformer")
    for name in ("vit", "deit", "beit", "dinov2", "vit_msn", "ijepa"):
        yield net(name, pictures())
    yield net("swin", pictures(), embed_dim=8, depths=[1, 1], num_heads=[1, 2], window_size=2, patch_size=4)
    yield net("swinv2", pictures(), embed_dim=8, depths=[1, 1], num_heads=[1, 2], window_size=2, patch_size=4)
    yield net("hiera", pictures(64), image_size=[64, 64], embed_dim=8, depths=[1, 1, 1, 1], num_heads=[1, 1, 2, 2])
    yield net("levit", pictures(64), image_size=64, hidden_sizes=[16, 24, 32], num_attention_heads=[2, 2, 2],
              depths=[1, 1, 1], key_dim=[8, 8, 8], as_is=True)
    yield net("cvt", pictures(), embed_dim=[8, 16, 24], num_heads=[1, 2, 2], depth=[1, 2, 3], cls_token=[False, False, True],
              as_is=True)
    yield net("pvt", pictures(), hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1], num_attention_heads=[1, 2, 2, 2],
              image_size=32, as_is=True)
    yield net("efficientnet", pictures(), as_is=True, num_block_repeats=[1] * 7)
    yield net("bit", pictures(), embedding_size=8, hidden_sizes=[16, 32], depths=[1, 1], num_groups=4, as_is=True)
    net = rows_of("transformers", "segmentation and detection")
    yield net("segformer", pictures(64), head="SemanticSegmentation", hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1],
              num_attention_heads=[1, 2, 2, 2], decoder_hidden_size=16, as_is=True)
    yield net("dpt", pictures(), head="DepthEstimation", num_hidden_layers=4, backbone_out_indices=[0, 1, 2, 3], neck_hidden_sizes=[8, 8, 8, 8],
              fusion_hidden_size=8, reassemble_factors=[4, 2, 1, 0.5])
    yield net("glpn", pictures(64), head="DepthEstimation", hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1],
              num_attention_heads=[1, 2, 2, 2], decoder_hidden_size=8, as_is=True)
    yield net("yolos", pictures(), head="ObjectDetection", image_size=[32, 32], num_detection_tokens=4)
    yield net("mobilevit", pictures(64), head="SemanticSegmentation", as_is=True, image_size=64)
    net = rows_of("transformers", "multimodal")
    yield net("clip", many_texts_and_images(), text_config=clip_text(), vision_config=clip_vision(), projection_dim=16)
    yield net("siglip", many_texts_and_images(), text_config=clip_text(), vision_config=clip_vision())
    yield net("vilt", text_and_image(), image_size=32)
    net = rows_of("transformers", "time series")
    yield net("patchtst", values(past_values=(2, 32, 3)), num_input_channels=3, context_length=32, patch_length=8,
              patch_stride=8)
    yield net("patchtsmixer", values(past_values=(2, 32, 3)), num_input_channels=3, context_length=32, patch_length=8,
              patch_stride=8)


def many_texts_and_images():
    """For results of one number a pair: four of them would be too few to tell how wrong PyTorch may be."""

    def draw(generator):
        parts = [text_and_image()(generator) for _ in range(4)]
        return {name: torch.cat([part[name] for part in parts]) for name in parts[0]}

    return draw


def clip_text():
    return {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 64,
            "max_position_embeddings": 16, "eos_token_id": 2, "bos_token_id": 1, "pad_token_id": 0, "projection_size": 32}


def clip_vision():
    return {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, "image_size": 32,
            "patch_size": 8}


def rows():
    for part in (torchvision_rows, timm_rows, language_rows, other_rows):
        yield from part()


def find_row(source, architecture):
    """The row of a model, or None."""
    return next((row for row in rows() if (row.source, row.architecture) == (source, architecture)), None)
