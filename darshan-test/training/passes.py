"""Reads a set of files three times, with some work after each file: epochs of a training without a
DataLoader of PyTorch. argv: how the files are read: shuffled (in another order each time), in-row
(each file three times, then the next), or one (one file at random offsets)."""

import random
import sys
import time
from io import FileIO

FILES, SIZE, PASSES, WORK = 60, 1 << 17, 3, 0.01


def main() -> None:
    """Makes the set and reads it."""
    way, names = sys.argv[1], [f"{number}.bin" for number in range(FILES)]
    for name in names:
        with open(name, "wb") as file:
            file.write(bytes(SIZE))
    with open("all.bin", "wb") as file:
        file.write(bytes(FILES * SIZE))
    with open("all.bin", "rb", buffering=0) as whole:
        read_all(way, names, whole)


def read_all(way: str, names: list[str], whole: FileIO) -> None:
    """Reads the files `names`, or the one open file `whole` in parts of the same size."""
    order = list(range(FILES))
    for place in range(PASSES * FILES):
        if way != "in-row" and place % FILES == 0:
            random.shuffle(order)
        number = place // PASSES if way == "in-row" else order[place % FILES]
        if way == "one":
            whole.seek(number * SIZE)
            assert len(whole.read(SIZE)) == SIZE
        else:
            with open(names[number], "rb", buffering=0) as file:
                assert len(file.read()) == SIZE
        time.sleep(WORK)


if __name__ == "__main__":
    main()
