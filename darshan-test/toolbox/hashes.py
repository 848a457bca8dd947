"""An independent implementation of the hashes by which darshan-convert anonymizes."""

from __future__ import annotations

# Masks of 32 and 64 bits.
MASK32, MASK64 = (1 << 32) - 1, (1 << 64) - 1


def _rotated(x: int, n: int, bits: int) -> int:
    """Returns a number of `bits` bits, rotated to the left by n."""
    return (x << n | x >> (bits - n)) & ((1 << bits) - 1)


def lookup3(data: bytes, initial: int = 0) -> int:
    """Returns Bob Jenkins' 32-bit hash lookup3 (May 2006), by which Darshan 3.5.0 anonymizes names.
    initial: the start value."""
    a = b = c = (0xDEADBEEF + len(data) + initial) & MASK32
    if not data:
        return c
    blocks = [data[i : i + 12].ljust(12, b"\0") for i in range(0, len(data), 12)]
    for last, block in ((i == len(blocks) - 1, block) for i, block in enumerate(blocks)):
        x, y, z = (int.from_bytes(block[i : i + 4], "little") for i in (0, 4, 8))
        a, b, c = (a + x) & MASK32, (b + y) & MASK32, (c + z) & MASK32
        if last:
            break
        for shift in (4, 6, 8, 16, 19, 4):
            x = (a - c) & MASK32 ^ _rotated(c, shift, 32)
            a, b, c = b, (c + b) & MASK32, x
    for shift in (14, 11, 25, 16, 4, 14, 24):
        c = ((c ^ b) - _rotated(b, shift, 32)) & MASK32
        a, b, c = b, c, a
    return b


def siphash(key: tuple[int, int], data: bytes) -> int:
    """Returns the 64-bit hash SipHash-2-4 of the data. key: two 64-bit halves."""
    start = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
    v = [key[i % 2] ^ word for i, word in enumerate(start)]

    def rounds(n: int) -> None:
        for _ in range(n):
            for first, second, left, right in ((0, 2, 13, 16), (2, 0, 17, 21)):
                v[first] = (v[first] + v[1]) & MASK64
                v[second] = (v[second] + v[3]) & MASK64
                v[1] = _rotated(v[1], left, 64) ^ v[first]
                v[3] = _rotated(v[3], right, 64) ^ v[second]
                v[first] = _rotated(v[first], 32, 64)

    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) & 0xFF])
    for at in range(0, len(padded), 8):
        word = int.from_bytes(padded[at : at + 8], "little")
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def secret(key: str) -> tuple[int, int]:
    """Returns the two halves of the SipHash key that --obfuscate=strong derives from a user's
    key."""
    return siphash((1, 2), key.encode()), siphash((3, 4), key.encode())


def hidden_id(key: str, number: int) -> int:
    """Returns the id that --obfuscate=strong gives to the record with id `number` under a user's
    key."""
    first, second = secret(key)
    return siphash((first, second ^ 1), number.to_bytes(8, "little"))
