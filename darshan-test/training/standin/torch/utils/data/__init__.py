"""A stand-in for PyTorch's package of the same name."""

from .dataloader import DataLoader

__all__ = ["DataLoader"]
