"""Exports of call sites (`darshan where --folded`, --speedscope), each read by the rules of its
format; sources with annotations (`darshan annotate`); and options that record call sites."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lab.command import finished, finished_in_bytes

from .where import C_SOURCE, SECONDS, Where, line_of


@pytest.fixture
def ran(where: Where) -> Where:
    """Runs a program that makes 82 calls on known lines; returns an object that asks `darshan
    where` about its log."""
    where.run(where.compile(), "data")
    return where


def annotated(where: Where, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs `darshan annotate` with these arguments. Returns its status and output."""
    return finished([where.program.build / "darshan", "annotate", *arguments], timeout=SECONDS)


def read_folded(text: str) -> dict[tuple[str, ...], int]:
    """Returns the weight of each stack (outermost frame first) in a text of the folded format, read
    as flamegraph.pl does: the last blank ends the stack."""
    found: dict[tuple[str, ...], int] = {}
    for row in text.splitlines():
        matched = re.fullmatch(r"(.*)\s+?(\d+)", row)
        assert matched, row
        stack = tuple(matched[1].split(";"))
        assert all(stack) and stack not in found
        found[stack] = int(matched[2])
    return found


def test_folded_stacks(ran: Where) -> None:
    """In the folded format, a stack begins with the outermost frame, and its weight is in
    microseconds."""
    found = read_folded(ran.ask("--folded").stdout)
    put = line_of(C_SOURCE, "/* put */")
    (stack,) = (s for s in found if s[-1] == "write")
    (inner, caller) = (stack[-2], stack[-3])
    assert inner == f"put (program.c:{put})"
    assert caller == f"work (program.c:{line_of(C_SOURCE, 'put(file, 1000)')})"
    assert any(frame.startswith("main (program.c:") for frame in stack)
    whole = sum(line["seconds"] for line in ran.found()["lines"])
    assert sum(found.values()) == pytest.approx(whole * 1e6, abs=len(found))


def read_speedscope(content: dict[str, Any]) -> dict[str, dict[tuple[str, ...], float]]:
    """Returns for each profile, by name, the weight of each stack. Raises AssertionError if the
    content breaks the rules of the format."""
    assert content["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    frames = content["shared"]["frames"]
    for frame in frames:
        assert isinstance(frame["name"], str) and frame.keys() <= {"name", "file", "line", "col"}
        assert isinstance(frame.get("line", 1), int) and isinstance(frame.get("file", ""), str)
    assert 0 <= content["activeProfileIndex"] < len(content["profiles"])
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for profile in content["profiles"]:
        assert profile["type"] == "sampled"
        assert profile["unit"] in ("none", "nanoseconds", "microseconds", "milliseconds",
                                   "seconds", "bytes")  # fmt: skip
        assert len(profile["samples"]) == len(profile["weights"]) > 0
        weights = sum(profile["weights"])
        assert profile["endValue"] - profile["startValue"] == pytest.approx(weights)
        stacks = found.setdefault(profile["name"], {})
        for sample, weight in zip(profile["samples"], profile["weights"]):
            assert all(isinstance(n, int) and 0 <= n < len(frames) for n in sample) and weight >= 0
            stack = tuple(frames[n]["name"] for n in sample)
            stacks[stack] = stacks.get(stack, 0.0) + weight
    return found


def test_speedscope(ran: Where) -> None:
    """The speedscope file has profiles of seconds, calls and bytes with the same stacks."""
    target = ran.folder / "io.speedscope.json"
    done = ran.ask("--speedscope", target)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    found = read_speedscope(json.loads(target.read_text()))
    assert list(found) == ["seconds in calls", "calls", "bytes"]
    assert len({frozenset(stacks) for stacks in found.values()}) == 1
    calls, moved = (
        {stack[-1]: number for stack, number in found[name].items()} for name in ("calls", "bytes")
    )
    assert (calls["write"], moved["write"]) == (50, 50_000)
    assert (calls["pread"], moved["pread"], sum(calls.values())) == (30, 3000, 82)
    (stack,) = (s for s in found["calls"] if s[-1] == "write")
    assert stack[-4:] == ("main", "work", "put", "write")


def test_two_forms_at_once(ran: Where) -> None:
    """Two output forms in one command are a usage error."""
    assert ran.ask("--folded", "--json").returncode == 2


def test_annotated_source(ran: Where) -> None:
    """`darshan annotate` prints each line of a source; lines with I/O have their calls and bytes in
    the margin."""
    done = annotated(ran, ran.log, ran.folder / "program.c")
    assert (done.returncode, done.stderr) == (0, "")
    head, *shown = done.stdout.splitlines()
    assert head.split() == ["in", "calls", "calls", "bytes", "line", "source"]
    assert len(shown) == len(C_SOURCE.splitlines())
    for mark, calls, moved in (("/* put */", "50", "48.8 KiB"), ("/* get */", "30", "2.93 KiB")):
        row = shown[line_of(C_SOURCE, mark) - 1]
        margin, source = row[:37].split(), row[39:]
        assert source == C_SOURCE.splitlines()[line_of(C_SOURCE, mark) - 1]
        assert (margin[2], " ".join(margin[3:5])) == (calls, moved)
    number = line_of(C_SOURCE, "int main")
    assert shown[number - 1].split()[0] == str(number)


def test_annotated_copy(ran: Where, tmp_path: Path) -> None:
    """A source file in another folder is found by its name; if it was changed after the run began,
    a message says so."""
    copy = tmp_path / "elsewhere" / "program.c"
    copy.parent.mkdir()
    copy.write_text(C_SOURCE.replace("int main", "\x1b[2Jint main"))
    done = annotated(ran, ran.log, copy)
    assert done.returncode == 0 and "48.8 KiB" in done.stdout and "\x1b" not in done.stdout
    assert "was changed after the run began" in done.stderr
    os.utime(copy, (0, 0))
    assert annotated(ran, ran.log, copy).stderr == ""


def test_all_sources(where: Where) -> None:
    """Without FILE, `darshan annotate` shows all source files of the user, and names those that no
    longer exist. --list prints their names only."""
    where.folder.joinpath("helper.h").write_text(
        "static int both(int file) {\n  char c;\n"
        "  return read(file, &c, 1) + (int)lseek(file, 0, 0);\n}\n"
    )
    source = """#include <fcntl.h>
#include <unistd.h>
#include "helper.h"
int main(int argc, char **argv) {
  int sum = -argc, file = open(argv[1], O_RDONLY);
  for (int i = 0; i < 20; i++)
    sum += both(file); /* both */
  return sum < 0;
}
"""
    where.run(where.compile(source=source), where.folder / "helper.h")
    done = annotated(where, "--list", where.log)
    assert (done.returncode, done.stderr) == (0, "")
    head, *shown = done.stdout.splitlines()
    paths = [str(where.folder / name) for name in ("helper.h", "program.c")]
    assert head.split() == ["in", "calls", "calls", "bytes", "source"]
    assert sorted((row.split()[2], row.split()[-1]) for row in shown) == [
        ("40", paths[0]),
        ("41", paths[1]),
    ]
    done = annotated(where, where.log)
    assert (done.returncode, done.stderr) == (0, "")
    assert all(f"==> {path} <==" in done.stdout for path in paths)
    (row,) = (row for row in done.stdout.splitlines() if "/* both */" in row)
    assert row.split()[2] == "40"
    where.folder.joinpath("helper.h").unlink()
    done = annotated(where, where.log)
    assert done.returncode == 0 and "/* both */" in done.stdout
    assert f"{paths[0]}: No such file" in done.stderr
    assert f"{paths[0]} (No such file" in annotated(where, "--list", where.log).stdout
    assert annotated(where, where.log, *paths).returncode == 1
    assert annotated(where, "--list", where.log, paths[1]).returncode == 2


def test_a_source_without_calls(ran: Where, tmp_path: Path) -> None:
    """`darshan annotate` fails with a message for a file without I/O, a folder, a missing file, and
    missing arguments."""
    other = tmp_path / "other.c"
    other.write_text("int x;\n")
    done = annotated(ran, ran.log, other)
    assert done.returncode == 1 and "no I/O call from this file" in done.stderr
    for path in (tmp_path, tmp_path / "none.c"):
        done = annotated(ran, ran.log, path)
        assert done.returncode == 1 and str(path) in done.stderr
    assert annotated(ran).returncode == 2


def test_a_damaged_annex(ran: Where, tmp_path: Path) -> None:
    """If the annex of a log is damaged, the message says so, and not that call sites were not
    recorded."""
    content, path = bytearray(ran.log.read_bytes()), tmp_path / "damaged.darshan"
    content[-80] ^= 0xFF  # the annex is the end of a log, and has a checksum
    path.write_bytes(content)
    done = annotated(ran, path, ran.folder / "program.c")
    assert (done.returncode, done.stdout) == (1, "")
    assert f"{path}: cannot read the annex: " in done.stderr


# Command, options, value of DARSHAN_SITES (None: not set), and whether the log has call sites.
CHOICES = (
    ("run", (), None, False),
    ("run", (), "1", True),
    ("run", ("--sites",), "0", True),
    ("run", ("--no-sites",), "1", False),
    ("stat", (), None, True),
    ("stat", (), "0", False),
    ("stat", ("--sites",), "0", True),
    ("stat", ("--no-sites",), None, False),
)


def test_sites_by_an_option(where: Where, tmp_path: Path) -> None:
    """`darshan stat` records call sites, and `darshan run` with --sites; --no-sites prevents it.
    Without an option, `darshan run` obeys DARSHAN_SITES."""
    program = where.compile()
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("DARSHAN_", "LD_"))}
    for number, (command, options, variable, has_sites) in enumerate(CHOICES):
        folder = tmp_path / f"logs{number}"
        environment = plain if variable is None else plain | {"DARSHAN_SITES": variable}
        done = finished(
            [
                where.program.build / "darshan",
                command,
                *options,
                "-o",
                folder,
                "--",
                program,
                tmp_path / "data",
            ],
            cwd=tmp_path,
            env=environment,
            timeout=SECONDS,
        )
        assert done.returncode == 0, done.stderr
        (log,) = folder.glob("*.darshan")
        assert where.ask(log=log).returncode == (0 if has_sites else 1), CHOICES[number]


def test_a_report_without_lines_says_how_to_get_them(where: Where) -> None:
    """A report with a problem ends with the command that records call sites exactly if the log has
    none."""
    script = "with open('numbers', 'wb', 0) as file:\n    file.writelines([b'7\\n'] * 200000)"
    for variable in ("0", "1"):
        where.program.start(sys.executable, "-c", script, DARSHAN_SITES=variable)
        (log,) = where.program.logs()
        done = finished([where.program.build / "darshan", "report", "--text", log], timeout=SECONDS)
        log.unlink()
        assert "1. Many small writes" in done.stdout, done
        assert ("darshan run --sites" in done.stdout) == (variable == "0")


def test_sites_of_a_log_that_is_there(where: Where) -> None:
    """`darshan stat -r` runs no program, so --sites and --no-sites are usage errors."""
    for option in ("--sites", "--no-sites"):
        done = finished_in_bytes(
            [where.program.build / "darshan", "stat", option, "-r", "/dev/null"], timeout=SECONDS
        )
        assert done.returncode == 2
