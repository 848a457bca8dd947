"""Every instruction interrupted: a sample that turns with the commit (all: ./dev interrupt)."""

from __future__ import annotations

import platform
import re
import subprocess
from itertools import product
from pathlib import Path

import pytest
from sample import everything, seed, turning

HERE = Path(__file__).parent
KINDS = re.findall(r"\{\"([a-z0-9-]+)\",", (HERE / "calls-libc.c").read_text())
# What takes seconds to trace is left to the whole harness, at least most of the time.
LONG = {"exec", "exit", "exit-now", "growth", "first"}
ACTIONS = "abcdef"
SHARE_OF_KINDS = 0.1
SHARE_OF_POINTS = 40


@pytest.mark.skipif(platform.machine() != "x86_64", reason="breakpoints of x86-64 only")
def test_interrupted(build: Path) -> None:
    """Whatever happens at an instruction of the runtime, the log is right to the call."""
    assert len(KINDS) > 30
    short = [kind for kind in KINDS if kind not in LONG]
    chosen = [
        f"{kind}:{action}"
        for kind, action in turning(product(short, ACTIONS), SHARE_OF_KINDS, "interrupt")
    ]
    number = "0" if everything() else str(int(seed()[:7], 16) if seed()[:7].isalnum() else 0)
    command = [HERE / "run", build, "-k", ",".join(chosen), "-n", str(SHARE_OF_POINTS)]
    done = subprocess.run(
        [*command, "-S", number], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.findall(r"(\d+) runs", done.stdout)[-1]) > len(chosen)
