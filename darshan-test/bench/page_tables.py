"""Writes the tables of doc/performance.md. Each table is between two markers; the text around them
is written by hand."""

from __future__ import annotations

import datetime
import os
import re
import subprocess
from pathlib import Path

from machine import Bench, processor
from rows import Row

TOP = Path(__file__).resolve().parent.parent.parent
PAGE = TOP / "doc" / "performance.md"
# Name of the table about the machine.
ABOUT = "about"
HEAD = "| figure | measured | goal | |\n|---|---|---|---|\n"
# A generated table with its markers.
BLOCK = re.compile(
    r"(<!-- made by ./dev bench --page: (\w+) -->\n\n)(.*?)(\n<!-- end -->)", re.DOTALL
)


def blocks(text: str) -> dict[str, str]:
    """Returns the generated parts of a page, by the name in their marker. text: of the page."""
    return {name: body for _, name, body, _ in BLOCK.findall(text)}


def line(row: Row) -> str:
    """Returns a row as a line of a Markdown table."""
    cells = (row.what, row.measured, row.goal, "" if row.met else "missed")
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def table(rows: list[Row]) -> str:
    """Returns the Markdown table of one part, with its heading."""
    return HEAD + "".join(line(row) for row in rows)


def filled(text: str, made: dict[str, str]) -> str:
    """Returns a page with new contents for its generated parts. text: of the page; made: the
    contents by name. Raises ValueError unless it has exactly the names of the page's parts."""
    missing = blocks(text).keys() ^ made.keys()
    if missing:
        raise ValueError(f"{PAGE.name}: no block, or no part, of the name {', '.join(missing)}")
    return BLOCK.sub(lambda found: found[1] + made[found[2]] + found[4], text)


def said_by(*command: str) -> str:
    """Returns the first line that a command prints; "unknown" if it fails or prints nothing."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=TOP)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip().split("\n")[0] or "unknown"


def compiler(build: Path) -> str:
    """Returns the compiler of a build, with its version and options, as text. build: folder with
    the Makefile."""
    made = (build / "Makefile").read_text()
    found = {name: re.search(rf"^{name} = (.*)$", made, re.MULTILINE) for name in ("CC", "CFLAGS")}
    command = found["CC"][1].split() if found["CC"] else ["cc"]
    if command[0] == "ccache":
        del command[0]
    flags = found["CFLAGS"][1] if found["CFLAGS"] else ""
    return f"{command[0]} {said_by(*command, '-dumpfullversion')}, `{flags}`"


def commit() -> str:
    """Returns the subject of the last commit as text, and whether files differ from it."""
    subject = said_by("git", "log", "-1", "--format=%s")
    changed = said_by("git", "status", "--porcelain", "--untracked-files=no") != "unknown"
    return f"“{subject}”" + (", with changes" if changed else "")


def memory() -> str:
    """Returns the size of the machine's memory as text."""
    kib = re.search(r"MemTotal: +(\d+)", Path("/proc/meminfo").read_text())
    return f"{int(kib[1]) / (1 << 20):.0f} GiB" if kib else "unknown"


def about(bench: Bench, started: float, loads: list[float]) -> str:
    """Returns a Markdown table about the machine, the build and this run. started: its start, in
    seconds since 1970. loads: load averages before and between the parts."""
    ended = datetime.datetime.now()
    minutes = (ended.timestamp() - started) / 60
    virtual = said_by("systemd-detect-virt")
    host = os.uname()
    rows = {
        "date": f"{ended:%Y-%m-%d}, {minutes:.0f} minutes",
        "machine": f"{host.nodename}: {processor()}, {os.cpu_count()} processors, {memory()}",
        "virtualization": {"none": "no", "unknown": "not known"}.get(virtual, virtual),
        "kernel": f"{host.sysname} {host.release}",
        "C library": said_by("getconf", "GNU_LIBC_VERSION"),
        "compiler": compiler(bench.build),
        "commit": commit(),
        "measurements per figure": str(bench.repetitions),
        "load of other programs and of this run": f"{min(loads):.1f} to {max(loads):.1f}",
        "files, journals and logs": "on a tmpfs" if is_tmpfs(bench.folder) else "on a disk",
    }
    return "| | |\n|---|---|\n" + "".join(f"| {name} | {value} |\n" for name, value in rows.items())


def is_tmpfs(folder: Path) -> bool:
    """Returns whether a folder is on a file system in memory."""
    return said_by("stat", "-f", "-c", "%T", str(folder)) == "tmpfs"


def write(made: dict[str, str], page: Path = PAGE) -> None:
    """Replaces the generated tables in the page. made: their new contents by name."""
    text = filled(page.read_text("utf-8"), made)
    new = page.with_name(page.name + ".new")
    new.write_text(text, "utf-8")
    new.replace(page)
