"""A stand-in for PyTorch's package of the same name."""

from .dataloader import DataLoader, get_worker_info

__all__ = ["DataLoader", "get_worker_info"]
