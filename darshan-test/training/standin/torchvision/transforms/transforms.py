"""A stand-in for torchvision's transforms: the class that the runtime looks for."""


class Compose:
    """Applies transforms one after another to a sample."""

    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, sample):
        for transform in self.transforms:
            sample = transform(sample)
        return sample
