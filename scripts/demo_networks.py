"""Networks in plain torch.nn that scripts/demo and the import test bring through mlgc, with seeded weights, in eval mode.

    make_resnet(...)     residual blocks of convolutions and batch norms, after He et al. 2015: ResNet-18 by default
    make_encoder()       two layers of torch.nn.TransformerEncoderLayer over embedded tokens
    make_centred()       an MLP that keeps a running mean of its hidden layer in a buffer, and subtracts it
"""
import torch
from torch import nn

TOKENS = 50  # of the encoder's vocabulary
LARGEST_BATCH, LONGEST = 8, 64  # that the encoder is exported for


class Block(nn.Module):
    def __init__(self, before, after, stride):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after)
        self.conv2, self.norm2 = nn.Conv2d(after, after, 3, 1, 1, bias=False), nn.BatchNorm2d(after)
        self.shortcut = nn.Identity()
        if stride != 1 or before != after:
            self.shortcut = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

    def forward(self, x):
        inner = self.norm2(self.conv2(torch.relu(self.norm1(self.conv1(x)))))
        return torch.relu(inner + self.shortcut(x))


class ResNet(nn.Module):
    def __init__(self, widths, classes):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, widths[0], 7, 2, 3, bias=False), nn.BatchNorm2d(widths[0]), nn.ReLU(),
                                  nn.MaxPool2d(3, 2, 1))
        blocks, before = [], widths[0]
        for stage, width in enumerate(widths):
            blocks += [Block(before, width, 1 if stage == 0 else 2), Block(width, width, 1)]
            before = width
        self.blocks = nn.Sequential(*blocks)
        self.pool, self.fc = nn.AdaptiveAvgPool2d(1), nn.Linear(before, classes)

    def forward(self, image):
        return self.fc(torch.flatten(self.pool(self.blocks(self.stem(image))), 1))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(TOKENS, 32)
        layer = nn.TransformerEncoderLayer(32, nhead=4, dim_feedforward=64, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)

    def forward(self, tokens):
        return self.layers(self.embed(tokens))


class Centred(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc0, self.fc1 = nn.Linear(8, 16), nn.Linear(16, 4)
        self.register_buffer("average", torch.zeros(16))
        self.register_buffer("calls", torch.tensor(0))

    def forward(self, x):
        hidden = torch.relu(self.fc0(x))
        self.average.mul_(0.9).add_(hidden.mean(0), alpha=0.1)
        self.calls.add_(1)
        return self.fc1(hidden - self.average)


def make_resnet(widths=(64, 128, 256, 512), classes=1000):
    torch.manual_seed(0)
    network = ResNet(widths, classes).eval()
    # As after training: a batch norm that has seen nothing would be almost the identity.
    with torch.no_grad():
        for module in network.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.running_mean.uniform_(-0.1, 0.1)
                module.running_var.uniform_(0.5, 2)
                module.weight.uniform_(0.5, 1.5)
                module.bias.uniform_(-0.1, 0.1)
    return network


def make_encoder():
    torch.manual_seed(0)
    return Encoder().eval()


def make_centred():
    torch.manual_seed(0)
    return Centred().eval()


def encoder_shapes():
    dim = torch.export.Dim
    return ({0: dim("batch", min=1, max=LARGEST_BATCH), 1: dim("length", min=1, max=LONGEST)},)
