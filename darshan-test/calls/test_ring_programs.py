"""Programs of other languages that use io_uring: a crate of Rust, and node."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from lab.command import finished
from lab.watch import Outcome, watch
from place import elsewhere

pytestmark = pytest.mark.needs("io_uring")

BLOCKS, BLOCK = 64, 4096
SOURCE = Path(__file__).with_name("ring.rs")
CARGO = """[package]
name = "ring"
version = "0.1.0"
edition = "2021"

[[bin]]
name = "ring"
path = "ring.rs"

[dependencies]
io-uring = "=0.7.11"
"""
NODE = """
const fs = require("fs/promises");
(async () => {
  const input = await fs.open("input"), output = await fs.open("output", "w");
  const block = Buffer.alloc(4096);
  for (let i = 0; i < 64; i++) {
    await input.read(block, 0, 4096, i * i * 4096);
    await output.write(block, 0, 4096, i * 4096);
  }
  await output.sync();
  await input.close();
  await output.close();
})();
"""


def make_input(work: Path) -> None:
    with (work / "input").open("wb") as file:
        file.truncate(BLOCKS * BLOCKS * BLOCK)


def check(outcome: Outcome) -> None:
    """Checks the counters of both files: the program reads one file at growing distances, and
    writes the other without gaps."""
    assert outcome.status == 0, outcome.error
    read = [outcome.value("input", f"POSIX_{name}") for name in ("OPENS", "READS", "BYTES_READ")]
    assert read == [1, BLOCKS, BLOCKS * BLOCK]
    assert outcome.value("input", "POSIX_SEQ_READS") == BLOCKS - 1
    assert outcome.value("input", "POSIX_CONSEC_READS") == 1
    names = ("OPENS", "WRITES", "BYTES_WRITTEN", "CONSEC_WRITES", "FSYNCS")
    written = [outcome.value("output", f"POSIX_{name}") for name in names]
    assert written == [1, BLOCKS, BLOCKS * BLOCK, BLOCKS - 1, 1]


@pytest.mark.needs("cargo")
def test_rust(build: Path, tmp_path: Path) -> None:
    """A copy by Rust's crate io-uring, which makes its system calls through libc's syscall(): each
    submission is counted."""
    (tmp_path / "Cargo.toml").write_text(CARGO)
    shutil.copy(SOURCE, tmp_path)
    done = finished(["cargo", "build", "-q", "--release"], cwd=tmp_path, timeout=300)
    if done.returncode != 0 and "io-uring" in done.stderr:
        elsewhere(f"the crate io-uring cannot be had: {done.stderr.splitlines()[0]}")
    assert done.returncode == 0, done.stderr
    outcome = watch(build, tmp_path, [tmp_path / "target/release/ring"], setup=make_input)
    check(outcome)
    assert outcome.value("input", "POSIX_EXT_URING_SUBMITS") == BLOCKS
    assert outcome.value("output", "POSIX_EXT_URING_SUBMITS") == BLOCKS + 1


@pytest.mark.needs("program:node")
def test_node(build: Path, tmp_path: Path) -> None:
    """A copy by node is counted, with UV_USE_IO_URING=1: node 20 and later use a ring, older ones
    plain calls."""
    node = ["node", "-e", NODE]
    more = {"UV_USE_IO_URING": "1"}
    outcome = watch(build, tmp_path, node, setup=make_input, plain=dict(os.environ), **more)
    check(outcome)
