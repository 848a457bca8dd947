"""Encodes messages in the part of the wire format of Protocol Buffers that a pprof profile needs.

A message is a sequence of fields. Each field begins with its number and one of two wire types: an
integer (a varint, seven bits per byte), or bytes with their length. The bytes are a string, a
message, or packed integers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Union

_NUMBER, _BYTES = 0, 2  # wire types
_UNSIGNED = (1 << 64) - 1

Field = tuple[int, Union[int, bytes, str]]  # its number, and a number, a message or a text


def _varint(number: int) -> bytes:
    """Returns an integer of 64 bits encoded as a varint; negative ones in two's complement."""
    left, found = number & _UNSIGNED, bytearray()
    while left > 0x7F:
        found.append(left & 0x7F | 0x80)
        left >>= 7
    found.append(left)
    return bytes(found)


def packed(numbers: Iterable[int]) -> bytes:
    """Returns the encoded value of a repeated field of integers, for message()."""
    return b"".join(map(_varint, numbers))


def message(fields: Iterable[Field]) -> bytes:
    """Returns the encoded message of these fields. Leaves out an integer 0, which is the default.
    Writes every string, even an empty one, because it may be an element of a list."""
    found = bytearray()
    for number, value in fields:
        if isinstance(value, int):
            if value:
                found += _varint(number << 3 | _NUMBER) + _varint(value)
            continue
        content = value.encode("utf-8", "replace") if isinstance(value, str) else value
        found += _varint(number << 3 | _BYTES) + _varint(len(content)) + content
    return bytes(found)
