"""ResNet-50 inference, batch of 1024 (Yang 2024, Table II: MLPerf, ResNet-50).

An iteration is one forward pass of torchvision's model on 1024 images of 224x224 in single
precision, weights and images random. PyTorch's defaults hold: cuDNN may use TF32 for convolutions.
Some 20 GB."""

import workload

BATCH = 1024


def make():
    import torch
    import torchvision

    model = torchvision.models.resnet50(weights=None).eval()
    images = torch.rand(BATCH, 3, 224, 224)
    return lambda: model(images)


if __name__ == "__main__":
    workload.serve("resnet50", __doc__, lambda: workload.inference(make))
