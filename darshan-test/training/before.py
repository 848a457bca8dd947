"""A training that first imports many modules and makes a file of samples, which it then maps. argv:
all, or little: the file is there already, imports are short and epochs long."""

import importlib
import mmap
import os
import sys
import time
from pathlib import Path

from torch.utils.data import DataLoader

MODULES, EACH, SIZE = 80, 0.004, 20 << 20


def work(seconds: float) -> None:
    """Uses a processor for some seconds."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def packages() -> None:
    """Writes two packages of many modules, each of which computes for a moment."""
    text = (
        f"import time\nend = time.perf_counter() + {EACH}\n"
        "while time.perf_counter() < end:\n    pass\n"
    )
    for name in ("early", "late"):
        Path(name).mkdir()
        for number in range(MODULES):
            Path(name, f"part_{number}.py").write_text(text)
        lines = "".join(f"from . import part_{number}\n" for number in range(MODULES))
        Path(name, "__init__.py").write_text(lines)


def main() -> None:
    """Makes what is missing, and trains."""
    is_little = sys.argv[1] == "little"
    if not is_little:
        packages()
        sys.path.insert(0, os.getcwd())
        importlib.invalidate_caches()
        import early  # noqa: F401, PLC0415
        import late  # noqa: F401, PLC0415

        work(0.2)
        Path("cache.bin").write_bytes(bytes(SIZE))
    with open("cache.bin", "rb") as file:
        data = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
    for batch in DataLoader(list(range(4)), batch_size=2):
        assert len(data) == SIZE and len(batch) == 2
        time.sleep(0.5 if is_little else 0.001)


if __name__ == "__main__":
    main()
