"""Call sites of JavaScript programs that node runs: each call belongs to its function, whose first
line is given."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from darshan_report.call_sites import installed
from place import needs

from .test_blamed import findings
from .where import Where, line_of

_MARK = re.compile(r"//= (\S+) (\w+) (\d+)$")
_SOURCE = Path(__file__).with_name("works.js")
_KINDS = {"reads": "pread64|read", "writes": "write|pwrite64", "lookups": "access"}


def _node(where: Where, name: str, text: str, *options: str) -> Path:
    """Runs a script with node and call sites recorded; returns the script's path. options: of
    node."""
    if not shutil.which("node"):
        needs("program:node")
    script = where.folder / name
    script.write_text(text)
    where.program.start("node", *options, script)
    return script


@pytest.mark.parametrize(
    "options",
    [["--no-opt"], ["--no-opt", "--no-sparkplug"], ["--no-opt", "--always-sparkplug"]],
    ids=["as usual", "interpreted", "compiled"],
)
def test_functions(options: list[str], where: Where) -> None:
    """Each function of works.js has the number of calls that its mark states: methods, arrow
    functions, callbacks of arrays, recursions and workers. options: which of V8's compilers are
    used."""
    text = _SOURCE.read_text()
    script = _node(where, "works.js", text, *options)
    found: dict[tuple[int, str, str], int] = {}
    for row in where.found()["lines"]:
        place = row["place"]
        if not place or place["file"] != str(script):
            continue
        for called, some in row["called"].items():
            kind = next((k for k, names in _KINDS.items() if re.fullmatch(names, called)), "")
            key = place["line"], place["function"], kind
            found[key] = found.get(key, 0) + some["calls"]
    wanted = {
        (number, mark[1], mark[2]): int(mark[3])
        for number, line in enumerate(text.splitlines(), 1)
        if (mark := _MARK.search(line))
    }
    assert {key: found.get(key, 0) for key in wanted} == wanted, found


def test_optimized(where: Where) -> None:
    """With V8's optimizing compilers and moving objects, all calls are recorded without an error,
    and a function that is not inlined has all of its calls."""
    options = ("--stress-compaction", "--max-semi-space-size=1")
    script = _node(where, "works.js", _SOURCE.read_text(), *options)
    rows = [r for r in where.found()["lines"] if r["place"] and r["place"]["file"] == str(script)]
    written = sum(row["called"].get("write", {"calls": 0})["calls"] for row in rows)
    assert written >= 5000 + 2000 + 700 + 200 + 900
    line = line_of(_SOURCE.read_text(), "//= readSmall")
    (row,) = (row for row in rows if row["place"]["line"] == line)
    assert row["called"]["pread64"]["calls"] == 3000


BYTES = """const fs = require('fs');
function put(file) { // here
  for (let i = 0; i < 20000; i++)
    fs.writeSync(file, 'x');
}
put(fs.openSync('out', 'w'));
"""


@pytest.mark.parametrize("name", ["bytes.js", "bytes.mjs"])
def test_finding(name: str, where: Where) -> None:
    """A finding about a script, also an ES module, names its function and the line of the
    function."""
    text = BYTES
    if name.endswith(".mjs"):
        text = text.replace("const fs = require('fs')", "import * as fs from 'fs'")
    script = _node(where, name, text)
    (told,) = [f["line"] for f in findings(where) if f["name"] == "small-accesses-write"]
    place = told["place"]
    assert (place["file"], place["line"]) == (str(script), line_of(BYTES, "here"))
    assert f"at {name}:2, in put" in told["text"]


def test_no_line_of_the_thread_pool(where: Where) -> None:
    """Calls that node makes in its thread pool have no line, and the finding says so."""
    text = (
        "const fs = require('fs');\n(async () => {\n"
        "  const file = await fs.promises.open('a', 'w');\n"
        "  for (let i = 0; i < 3000; i++) await file.write('x');\n})();\n"
    )
    _node(where, "pool.js", text)
    said = " ".join(where.ask().stdout.split())
    assert "node or its thread pool made these calls; look in pool.js" in said


# A C program with variables that have the names of V8's, with other values.
PRETENDER = """
#include <fcntl.h>
#include <unistd.h>
#define V8(name) int v8dbg_##name = VALUE;
int v8dbg_SmiShiftSize = 31;
NAMES
void *_ZN2v87Isolate10GetCurrentEv(void) { return 0; }
int main(void) {
  close(open("out", O_WRONLY | O_CREAT, 0600)); /* here */
  return 0;
}
"""


@pytest.mark.parametrize("value", [0, 8, -16, 1 << 20])
def test_another_program_with_the_names_of_v8(value: int, where: Where) -> None:
    """A C program that has variables with the names of V8's does not crash, and its call sites have
    its own lines. value: of these variables."""
    table = (Path(__file__).parents[2] / "runtime/stacks/v8/v8-layout.def").read_text()
    names = re.findall(r'^(?:CONSTANT|ALSO)\(\w+, "(\w+)"\)', table, re.MULTILINE)
    assert len(names) > 20
    all_ = " ".join(f"V8({name})" for name in names if name != "SmiShiftSize")
    source = PRETENDER.replace("NAMES", all_)
    program = where.compile("-rdynamic", f"-DVALUE={value}", source=source)
    found = where.run(program)
    line = line_of(source, "here")
    assert [r["calls"] for r in found["lines"] if r["place"] and r["place"]["line"] == line] == [2]


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("node:fs", "fs.f"),
        ("node:internal/modules/cjs/loader", "loader.f"),
        ("/home/u/app/node_modules/sharp/lib/output.js", "sharp.f"),
        ("/home/u/app/node_modules/a/node_modules/@b/c/index.mjs", "@b/c.f"),
    ],
)
def test_libraries(path: str, wanted: str) -> None:
    """Files of node itself and of installed packages count as installed software, and are shown
    under the names of the packages."""
    assert installed.is_installed(path)
    assert installed.called(path, "f") == wanted
    assert not installed.is_installed("/home/u/app/src/output.js")


_CONCATENATED = """
const name = 'scripts-of-a-server-' + process.pid + '/a-script-with-a-long-name.js';
const source = "(fs) => { for (let i = 0; i < 500; i++) fs.writeSync(out, 'x'); }";
globalThis.out = require('fs').openSync('out', 'w');
new (require('vm').Script)(source, { filename: name }).runInThisContext()(require('fs'));
"""


def test_name_in_pieces(where: Where) -> None:
    """If V8 stores the name of a script as two strings, the runtime does not read beyond these
    strings: a site's file is the script's path or the second string alone."""
    script = _node(where, "pieces.js", _CONCATENATED)
    files = {row["place"]["file"] for row in where.found()["lines"] if row["place"]}
    assert all(
        file == str(script) or re.search(r"^\S+-\d+/a-script-with-a-long-name\.js$", file)
        for file in files
    ), files
