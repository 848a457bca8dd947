"""Python workers that read and write files: workers.py fork|spawn|forkserver|futures [terminate].
The first argument says how they are started, "terminate" that idle workers are terminated."""

import concurrent.futures
import multiprocessing
import os
import subprocess
import sys
from typing import Any


def work(number: int) -> int:
    """Reads 50,000 bytes of the shared file "big", writes them to a file of its own, and appends a
    line to a shared file. Returns the size of its own file."""
    with open("big", "rb") as file:
        file.seek(number * 1000)
        data = file.read(50_000)
    fd = os.open(f"part-{number}", os.O_CREAT | os.O_WRONLY, 0o644)
    for at in range(0, len(data), 10_000):
        os.write(fd, data[at : at + 10_000])
    os.close(fd)
    with open("common", "a") as file:
        file.write(f"{number:03}\n")
    if number % 10 == 0:
        with open(f"part-{number}") as source, open(f"sum-{number}", "wb") as target:
            subprocess.run(["cksum"], stdin=source, stdout=target, check=True)
    return os.path.getsize(f"part-{number}")


def started(ready: Any) -> None:
    """Signals that a worker has started."""
    ready.release()


def pool(how: str, terminate: bool) -> int:
    """Runs 24 calls of work() in a pool of three workers, which exit normally or are terminated
    while they are idle. how: the start method. Returns the sum of the results."""
    context = multiprocessing.get_context(how)
    ready = context.Semaphore(0)
    with context.Pool(3, started, (ready,)) as workers:
        result = sum(workers.map(work, range(24)))
        for _ in range(3):  # so that no worker is terminated during its start
            ready.acquire()
        if not terminate:
            workers.close()
            workers.join()
    return result


if __name__ == "__main__":
    if sys.argv[1] == "futures":
        with concurrent.futures.ProcessPoolExecutor(3) as executor:
            print(sum(executor.map(work, range(24))))
    else:
        print(pool(sys.argv[1], "terminate" in sys.argv))
