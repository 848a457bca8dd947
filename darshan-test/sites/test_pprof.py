"""Profiles that `darshan where --pprof` writes, read by an independent decoder and by pprof
itself."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from darshan_report.call_sites.symbols import elf
from lab.command import finished
from place import elsewhere, needs
from report.diagnose.build import Job, write
from sample import everything

from .test_where_hostile import an_object, site
from .where import C_SOURCE, SECONDS, Where, line_of

Message = dict[int, list[Any]]  # field number -> values


def varints(content: bytes) -> Iterator[int]:
    """Yields the numbers in a sequence of varints, which have seven bits in each byte, the lowest
    first."""
    number = shift = 0
    for byte in content:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield number
            number = shift = 0
    assert shift == 0 or content[-1] < 128


def decoded(content: bytes) -> Message:
    """Returns the fields of a protobuf message by number: integers, or bytes for messages and
    strings."""
    found: Message = {}
    at = 0

    def varint() -> int:
        nonlocal at
        end = at
        while content[end] > 127:
            end += 1
        (number,) = varints(content[at : end + 1])
        at = end + 1
        return number

    while at < len(content):
        key = varint()
        value: int | bytes = varint()
        if key & 7 == 2:
            at, value = at + int(value), content[at : at + int(value)]
            assert at <= len(content)
        else:
            assert key & 7 == 0
        found.setdefault(key >> 3, []).append(value)
    return found


def one(message: Message, number: int) -> int:
    """Returns the value of an integer field of a message, given by its number; 0 if it is
    missing."""
    (value,) = message.get(number, [0])
    return int(value)


@dataclass
class Frame:
    """A location with its lines: function, file and line, innermost first."""

    lines: list[tuple[str, str, int]]
    address: int
    mapping: str  # path


@dataclass
class Profile:
    """The fields of profile.proto that the decoder reads."""

    kinds: list[tuple[str, str]]  # (type, unit) of each value
    stacks: list[tuple[list[Frame], list[int]]] = field(default_factory=list)
    build_ids: dict[str, str] = field(default_factory=dict)  # by path
    nanoseconds: int = 0  # start of the run, since 1970
    comment: str = ""


def read(path: Path) -> Profile:
    """Decodes a gzip-compressed profile, by the field numbers of the public profile.proto."""
    whole = decoded(gzip.decompress(path.read_bytes()))
    texts = [text.decode("utf-8") for text in whole[6]]
    assert texts[0] == "" and len(set(texts)) == len(texts)

    def text(message: Message, number: int) -> str:
        return texts[one(message, number)]

    kinds = [(text(k, 1), text(k, 2)) for k in map(decoded, whole[1])]
    assert texts[one(whole, 14)] == kinds[0][0]
    mappings = {one(m, 1): m for m in map(decoded, whole.get(3, []))}
    functions = {one(f, 1): f for f in map(decoded, whole[5])}
    frames = {}
    for location in map(decoded, whole[4]):
        lines = []
        for line in map(decoded, location[4]):
            function = functions[one(line, 1)]
            lines.append((text(function, 2), text(function, 4), one(line, 2)))
        number = one(location, 2)
        mapping = mappings[number] if number else {}
        address = one(location, 3)
        assert not number or address < one(mapping, 3)
        frames[one(location, 1)] = Frame(lines, address, text(mapping, 5))
    assert 0 not in {*frames, *functions, *mappings}
    (comment,) = varints(whole[13][0])
    found = Profile(kinds, nanoseconds=one(whole, 10), comment=texts[comment])
    for sample in map(decoded, whole[2]):
        values = list(varints(sample[2][0]))
        assert len(values) == len(kinds)
        found.stacks.append(([frames[n] for n in varints(sample[1][0])], values))
    found.build_ids = {text(m, 5): text(m, 6) for m in mappings.values()}
    return found


@pytest.fixture
def ran(where: Where) -> Where:
    """Runs a program that makes 82 calls on known lines, and returns an object for questions about
    its log."""
    where.run(where.compile(), "data")
    return where


def written(where: Where, **more: Path) -> Path:
    """Returns the path of the file that `darshan where --pprof` writes. more: the log."""
    target = where.folder / "io.pb.gz"
    done = where.ask("--pprof", target, **more)  # type: ignore[arg-type]
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return target


def test_profile(ran: Where) -> None:
    """The profile has stacks with inlined functions, lines, addresses and build ids; its values are
    exact."""
    found = read(written(ran))
    assert found.kinds == [("time", "nanoseconds"), ("calls", "count"), ("bytes", "bytes")]
    program = ran.folder / "program"
    with elf.Elf(str(program)) as file:
        assert found.build_ids[str(program)] == file.build_id() != ""
    ((stack, values),) = (s for s in found.stacks if s[0][0].lines[0][0] == "write")
    assert values[1:] == [50, 50_000]
    called, inner, *_ = stack
    assert (called.mapping, called.address) == ("", 0)
    source = str(ran.folder / "program.c")
    # One address has two lines: a function, and the one that it was inlined into.
    assert inner.lines == [
        ("put", source, line_of(C_SOURCE, "/* put */")),
        ("work", source, line_of(C_SOURCE, "put(file, 1000)")),
    ]
    assert inner.mapping == str(program) and inner.address > 0
    whole = ran.found()
    assert sum(values[1] for _, values in found.stacks) == 82
    spent = sum(values[0] for _, values in found.stacks)
    assert spent == pytest.approx(whole["seconds"] * 1e9, abs=len(found.stacks))
    assert found.nanoseconds > spent and str(program) in found.comment


def test_of_python(where: Where) -> None:
    """In the profile, lines of Python have no address, and the library function that they call has
    a mapping."""
    script = where.folder / "reads.py"
    script.write_text("def load():\n    return open(__file__).read()\n\n\nload()\n")
    where.run("python3", script)
    found = read(written(where))
    (stack,) = (
        stack
        for stack, _ in found.stacks
        if stack[0].lines[0][0] == "read"
        and stack[-1].lines == [("<module>", str(script), 5)]
        and len(stack) == 3
    )
    assert [frame.lines[0][1:] for frame in stack[1:3]] == [(str(script), 2), (str(script), 5)]
    assert [(frame.address, frame.mapping) for frame in stack[1:3]] == [(0, "")] * 2


def test_hostile_names(where: Where) -> None:
    """Call sites with control characters, incomplete UTF-8 or impossible numbers give a valid
    profile."""
    path = where.folder / "made.darshan"
    odd = an_object("aaaaaaaa", "a" * 40, "/x/\x1b[2J")
    rows = (
        site("re\x1bad;aaaaaaaa+ffffffffffffffff;/home/\x1b]0;x\x07.py:1:\x1b[31mf", READS=2**62),
        site("read;aaaaaaaa+0", F_READ_TIME=1e300),
        site("read", F_READ_TIME=2.0, BYTES_READ=2**62),
        odd,
    )
    write(Job(rows), path)
    found = read(written(where, log=path))
    assert len(found.stacks) == 3
    names = [n for s, _ in found.stacks for f in s for line in f.lines for n in line[:2]]
    assert names and not any("\x1b" in name or "\x07" in name for name in names)


def test_pprof_itself(ran: Where) -> None:
    """pprof reads the profile: its raw form and the annotated source have the right numbers."""
    needs("go")
    if not everything():
        elsewhere("./dev full: Go builds pprof first, which takes a minute of a processor")
    target = written(ran)

    def pprof(*options: str) -> str:
        done = finished(
            ["go", "tool", "pprof", "-symbolize=none", *options, target], timeout=10 * SECONDS
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    raw = pprof("-raw")
    assert "time/nanoseconds[dflt] calls/count bytes/bytes" in raw
    program = ran.folder / "program"
    with elf.Elf(str(program)) as file:
        assert re.search(rf"{re.escape(str(program))} {file.build_id()} \[FN\]\[FL\]\[LN\]", raw)
    put = line_of(C_SOURCE, "/* put */")
    assert re.search(rf"0x[0-9a-f]+ M=\d+ put {ran.folder}/program.c:{put}", raw)
    (row,) = (row for row in pprof("-top", "-sample_index=bytes").splitlines() if "write" in row)
    assert "48.83kB" in row
    listed = pprof("-list=^put$", "-sample_index=calls")
    (row,) = (row for row in listed.splitlines() if f" {put}:" in row)
    assert row.split()[:2] == [".", "50"]
