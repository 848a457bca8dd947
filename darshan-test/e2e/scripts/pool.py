"""Runs a pool of processes: pool.py fork|spawn close|leave. With "leave", the pool kills them at
its end."""

import multiprocessing
import os
import sys


def work(number: int) -> int:
    """Writes a file in twenty pieces. Returns its size in bytes."""
    fd = os.open(f"part-{number}", os.O_CREAT | os.O_WRONLY, 0o644)
    for _ in range(20):
        os.write(fd, bytes([number]) * (number + 1))
    os.close(fd)
    return os.path.getsize(f"part-{number}")


if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(3) as pool:
        print(sum(pool.map(work, range(40))))
        if sys.argv[2] == "close":
            pool.close()
            pool.join()
