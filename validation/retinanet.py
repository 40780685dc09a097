"""RetinaNet inference, 800x800 (Yang 2024, Table II: MLPerf, RetinaNet; the batch is ours).

An iteration is one forward pass of torchvision's RetinaNet (ResNet-50 with feature pyramid, 91
classes) on 16 images in single precision, weights and images random: backbone, pyramid and both
heads. Choosing boxes is left out: it waits for the device again and again, and how much there is to
choose depends on the weights. PyTorch's defaults hold: cuDNN may use TF32 for convolutions. Some 10
GB."""

import workload

BATCH = 16


def make():
    import torch
    import torchvision

    model = torchvision.models.detection.retinanet_resnet50_fpn(weights=None, weights_backbone=None).eval()
    images = torch.rand(BATCH, 3, 800, 800)

    def forward():
        features = list(model.backbone(images).values())
        return model.head(features)["cls_logits"]

    return forward


if __name__ == "__main__":
    workload.serve("retinanet", __doc__, lambda: workload.inference(make))
