"""Computes the names and record ids of many files at once, for the generator of corpora."""

from __future__ import annotations

import numpy as np
from logs.record_id import SHIFTS

from .programs import Files

_WIDTH = 8  # digits of a run's number


def _mix(words: list[np.ndarray]) -> None:
    """Mixes the three words of the hash, for all names at once. The words are changed in place."""
    for step, shift in enumerate(SHIFTS):
        x, y, z = step % 3, (step + 1) % 3, (step + 2) % 3
        by = np.uint64(abs(shift))
        other = words[z] >> by if shift < 0 else words[z] << by
        words[x] = (words[x] - words[y] - words[z]) ^ other


def record_ids(names: np.ndarray) -> np.ndarray:
    """Returns the record id of each name, like logs.record_id but for thousands of names at once.
    names: an array of bytes with a row for each name; all have the same length."""
    number, length = names.shape
    rest = length % 24
    padded = np.zeros((number, length - rest + 24), np.uint8)
    padded[:, : min(length, length - rest + 16)] = names[:, : length - rest + 16]
    # The last word holds the length in its first byte.
    padded[:, length - rest + 17 : length + 1] = names[:, length - rest + 16 :]
    blocks = padded.view("<u8").astype(np.uint64)
    words = [np.full(number, start, np.uint64) for start in (0, 0, 0x9E3779B97F4A7C13)]
    for at in range(0, blocks.shape[1], 3):
        if at + 3 == blocks.shape[1]:
            words[2] += np.uint64(length)
        for i in range(3):
            words[i] += blocks[:, at + i]
        _mix(words)
    return words[2]


def paths(program: str, kind: Files) -> np.ndarray:
    """Returns the file names of a kind as an array of bytes with a row for each file; "#"
    characters take the place of the run's number."""
    made = [
        kind.path.format(program=program, run="#" * _WIDTH, index=f"{index:04}").encode()
        for index in range(kind.number)
    ]
    return np.frombuffer(b"".join(made), np.uint8).reshape(kind.number, -1)


def of_runs(
    program: str, files: tuple[Files, ...], runs: np.ndarray
) -> tuple[list[list[bytes]], np.ndarray]:
    """Returns, for each of these runs, the names of its files, and a row of their record ids. runs:
    numbers of the runs."""
    digits = runs[:, None] // 10 ** np.arange(_WIDTH - 1, -1, -1) % 10 + ord("0")
    names: list[list[bytes]] = [[] for _ in runs]
    ids = []
    for kind in files:
        rows = paths(program, kind)
        whole = np.repeat(rows[None], len(runs), 0)
        at = np.flatnonzero(rows[0] == ord("#"))
        if len(at):
            whole[:, :, at] = digits[:, None, :]
        length = rows.shape[1]
        ids.append(record_ids(whole.reshape(-1, length)).reshape(len(runs), -1))
        texts = np.ascontiguousarray(whole).view(f"S{length}")[:, :, 0].tolist()
        for mine, more in zip(names, texts):
            mine.extend(more)
    return names, np.concatenate(ids, axis=1)
