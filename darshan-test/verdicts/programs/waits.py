"""Programs that wait for files: waits.py CASE [cured]."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

STEPS = 3
MAKE = """import os
import sys

for step in range(int(sys.argv[1])):
    sys.stdin.readline()
    text = str(sum(number * number for number in range(200_000)))
    with open("part", "w") as file:
        file.write(text)
    os.rename("part", f"answer{step}")
    print("made", flush=True)
"""


def wait_for(path: Path) -> None:
    """Waits until a file is there."""
    while not os.path.exists(path):  # blame: answers
        time.sleep(0.4)


def answers(cured: bool) -> None:
    """Sends requests to another program, whose responses are files."""
    Path("make.py").write_text(MAKE)
    command = [sys.executable, "make.py", str(STEPS)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as maker:
        assert maker.stdin is not None
        assert maker.stdout is not None
        for step in range(STEPS):
            maker.stdin.write("next\n")
            maker.stdin.flush()
            if cured:
                maker.stdout.readline()
            else:
                wait_for(Path(f"answer{step}"))
            assert Path(f"answer{step}").read_text()


def frames(count: int) -> None:
    """Makes a file for each step, and waits until it was used: looks often, with short sleeps."""
    for step in range(count):
        Path("part").write_text(str(sum(number * number for number in range(200_000))))
        os.rename("part", f"frame{step}")
        while not os.path.exists(f"used{step}"):
            time.sleep(0.001)


def acknowledged(cured: bool) -> None:
    """Waits for the files of another program, which waits for the same in turn."""
    with subprocess.Popen([sys.executable, __file__, "frames", "6"]):
        for step in range(6):
            while not os.path.exists(f"frame{step}"):  # blame: acknowledged
                time.sleep(0.002 if cured else 0.3)
            assert Path(f"frame{step}").read_text()
            Path(f"used{step}").touch()


def never_made(_: bool) -> None:
    """Waits for a file that never appears, and then stops waiting."""
    for _attempt in range(8):
        if Path("order").exists():
            return
        time.sleep(0.1)


def stop_file(_: bool) -> None:
    """Looks for a stop file before each step of a long computation."""
    for step in range(12):
        if Path("stop").exists():
            return
        total = sum(number * number for number in range(400_000))
        if step == 10:
            Path("stop").write_text(str(total))


def threads_work(_: bool) -> None:
    """Lets a thread make each file, and waits for the thread, not for the file: meanwhile the
    thread works."""

    def make(step: int) -> None:
        end = time.thread_time() + 0.4
        data = bytes(8 << 20)
        while time.thread_time() < end:
            hashlib.sha256(data)  # without the lock of the interpreter
        Path(f"made{step}").touch()

    for step in range(2 * STEPS):
        thread = threading.Thread(target=make, args=(step // 2,))
        if not os.path.exists(f"made{step // 2}"):
            thread.start()
            thread.join()


def paced(_: bool) -> None:
    """Makes missing files, and sleeps between two requests, as a service demands."""
    for number in range(6):
        if not Path(f"answer{number}").exists():
            time.sleep(0.1)
            Path(f"answer{number}").write_text("answer")


if __name__ == "__main__":
    if sys.argv[1] == "frames":
        sys.exit(frames(int(sys.argv[2])))
    globals()[sys.argv[1].replace("-", "_")](sys.argv[2:] == ["cured"])
