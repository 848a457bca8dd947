"""Computes the 64-bit hash of a name that is a record's id (Jenkins' hash, written independently of
the runtime's)."""

from __future__ import annotations

MASK = (1 << 64) - 1
# Bits by which a word is shifted in each step; negative: to the right.
SHIFTS = (-43, 9, -8, -38, 23, -5, -35, 49, -11, -12, 18, -22)


def mix(words: list[int]) -> None:
    """Mixes the bits of three 64-bit words in place."""
    for step, shift in enumerate(SHIFTS):
        x, y, z = step % 3, (step + 1) % 3, (step + 2) % 3
        other = words[z] >> -shift if shift < 0 else words[z] << shift
        words[x] = ((words[x] - words[y] - words[z]) ^ other) & MASK


def record_id(name: bytes) -> int:
    """Returns the id of the record with this name: an unsigned 64-bit integer."""
    words = [0, 0, 0x9E3779B97F4A7C13]
    whole = len(name) // 24 * 24
    for at in range(0, whole, 24):
        for i in range(3):
            words[i] += int.from_bytes(name[at + 8 * i : at + 8 * i + 8], "little")
            words[i] &= MASK
        mix(words)
    rest = name[whole:]
    words[0] += int.from_bytes(rest[:8], "little")
    words[1] += int.from_bytes(rest[8:16], "little")
    words[2] += (int.from_bytes(rest[16:], "little") << 8) + len(name)
    words[:] = [word & MASK for word in words]
    mix(words)
    return words[2]
