"""Runs eight threads, each with its own file and a part of a shared file."""

import os
import threading


def work(number: int) -> None:
    """Writes a file, with syncs, and reads it back; writes a part of the shared file."""
    byte = bytes([number])
    with open(f"out-{number}", "wb") as out:
        for k in range(200):
            out.write(byte * 1000)
            if k % 50 == 0:
                out.flush()
                os.fsync(out.fileno())
    fd = os.open("shared", os.O_RDWR)
    for k in range(100):
        os.pwrite(fd, byte * 10, 10 * (100 * number + k))
        os.pread(fd, 16, 10 * k)
    os.close(fd)
    with open(f"out-{number}", "rb") as back:
        back.seek(1000)
        assert back.read(1) == byte


with open("shared", "wb") as shared:
    shared.write(bytes(10000))
threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sum(os.path.getsize(f"out-{number}") for number in range(8)))
