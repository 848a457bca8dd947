"""A stand-in for torchvision's package of the same name."""

from .transforms import Compose

__all__ = ["Compose"]
