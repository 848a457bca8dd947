"""The guides are true about the tree: their links, paths, commands, options, names and examples
exist."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from lab.environment import library_of, preload
from lab.strace import for_command
from place import needs

TREE = Path(__file__).resolve().parents[2]
# All pages of the tree.
PAGES = sorted(
    [TREE / "README.md", TREE / "CONTRIBUTING.md"]
    + [page for top in ("doc", "runtime", "darshan-test") for page in (TREE / top).rglob("*.md")]
)
SECONDS = 60
# Pages that are generated from the tree.
MADE = ("counters.md", "diagnoses.md", "centre-tables.md")


def named(page: Path) -> str:
    """Returns a page's path relative to the tree."""
    return str(page.relative_to(TREE))


def prose(page: Path) -> str:
    """Returns a page's text without its blocks of code."""
    return re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)


def anchors(page: Path) -> set[str]:
    """Returns the anchors of a page: those of its headings, as GitHub makes them, and those that it
    sets itself."""
    heads = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    own = re.findall(r'<a id="([\w-]+)"></a>', prose(page))
    made = {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}
    return made.union(own)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    """Each relative link on a page leads to an existing file of the tree, and to an existing
    heading in it."""
    lost = []
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"\w+:", target):
            continue
        name, _, anchor = target.partition("#")
        there = (page.parent / name).resolve() if name else page
        if not there.exists() or (anchor and anchor not in anchors(there)):
            lost.append(target)
    assert not lost


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_paths_exist(page: Path) -> None:
    """Paths in backticks such as `runtime/...` exist; a pattern must match a file. For files that a
    how-to creates, the folder must exist."""
    paths = re.findall(r"`((?:runtime|util|darshan-test|doc)/[\w./*-]+)`", prose(page))
    if page.name.startswith("howto-"):
        paths = [str(Path(path).parent) for path in paths]
    assert not [path for path in paths if not list(TREE.glob(path.rstrip("/")))]


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_commands_of_dev_exist(page: Path) -> None:
    """Each ./dev NAME on a page is a command of ./dev."""
    known = set(re.findall(r"^command_(\w+)\(", (TREE / "dev").read_text("utf-8"), re.MULTILINE))
    used = set(re.findall(r"\./dev ([a-z][a-z-]*)", page.read_text("utf-8")))
    assert {name.replace("-", "_") for name in used} <= known | {"help"}


def test_every_command_is_in_the_usage() -> None:
    """`./dev help` lists exactly the existing commands of ./dev."""
    text = (TREE / "dev").read_text("utf-8")
    known = {name.replace("_", "-") for name in re.findall(r"^command_(\w+)\(", text, re.MULTILINE)}
    usage = subprocess.run(
        [TREE / "dev", "help"], stdout=subprocess.PIPE, text=True, check=True, timeout=SECONDS
    ).stdout
    assert set(re.findall(r"^  ([a-z-]+)", usage, re.MULTILINE)) == known


def folders(top: str) -> set[str]:
    """Returns the names of a folder's subfolders, except those that a build or an editor created.
    top: relative to the tree."""
    return {
        path.name
        for path in (TREE / top).iterdir()
        if path.is_dir() and any(file.is_file() for file in path.iterdir()) and path.name[0] != "_"
    }


def rows(page: str) -> set[str]:
    """Returns the folders in the first columns of a page's tables. page: relative to the tree."""
    text = (TREE / page).read_text("utf-8")
    cells = re.findall(r"^\| ((?:`[\w/-]+/`(?:, )?)+)", text, re.MULTILINE)
    return {name.rstrip("/") for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def test_folders_of_tests_have_rows() -> None:
    """CONTRIBUTING.md has a row for each folder of darshan-test/, and for no other."""
    said = {name for name in rows("CONTRIBUTING.md") if "/" not in name}
    assert said == folders("darshan-test")


def test_folders_have_doors() -> None:
    """The tables of doc/architecture.md have a row for each folder of runtime/ and util/, with its
    interface, and for no other."""
    there = folders("runtime") | {f"util/{name}" for name in folders("util")}
    assert rows("doc/architecture.md") | {"format", "modules"} == there | {"format", "modules"}


def test_pages_of_tests_name_all() -> None:
    """If the README of a test folder names test files, it names exactly those of its folder."""
    for page in (TREE / "darshan-test").glob("*/README.md"):
        there = {path.name for path in page.parent.glob("test_*.py")}
        told = set(re.findall(r"`(test_\w+\.py)`", page.read_text("utf-8")))
        assert not told or told == there, page


def test_folders_are_on_the_map() -> None:
    """The table of CONTRIBUTING.md has a row for each folder of runtime/ and util/, and for no
    other."""
    for top in ("runtime", "util"):
        listed = rows("CONTRIBUTING.md")
        said = {name.split("/")[1] for name in listed if name.startswith(f"{top}/")}
        assert said | {"modules"} == folders(top) | {"modules"}


def test_modules_have_pages() -> None:
    """Each module of the runtime has a README.md in its folder."""
    modules = [TREE / "runtime/modules" / name for name in sorted(folders("runtime/modules"))]
    assert not [path.name for path in modules if not (path / "README.md").exists()]


def tracked() -> list[str]:
    """Returns the files that git tracks."""
    done = subprocess.run(
        [TREE / "dev", "files"], stdout=subprocess.PIPE, text=True, check=True, timeout=SECONDS
    )
    return done.stdout.split()


@pytest.fixture(scope="module")
def told() -> tuple[list[str], set[str]]:
    """Returns the paths of all tracked files, and all words in files that are not pages, with the
    configure options that macros make."""
    paths = tracked()
    texts = (
        (TREE / path).read_text("utf-8", "replace")
        for path in paths
        if not path.endswith((".md", ".svg", ".tsv", ".darshan"))
    )
    return paths, {word for text in texts for word in WORD.findall(text)} | made_options()


def made_options() -> set[str]:
    """Returns the configure options that macros make, such as --enable-NAME-mod, which are nowhere
    in the text."""
    text = (TREE / "runtime" / "configure.m4").read_text("utf-8")
    modules = re.findall(r"^DARSHAN_(?:MODULE|ABSENT)\(\[(\w+)\]", text, re.M)
    libraries = re.findall(r"^DARSHAN_FOUND_LATER\(\[(\w+)\]", text, re.M)
    options = {f"--{word}-{name}-mod" for name in modules for word in ("enable", "disable")}
    return options | {f"--with-{name}" for name in libraries}


# Pattern of an option or of a name in a file.
WORD = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]+|[A-Za-z_]\w*")
# Names that a page may have in backticks: functions, options and settings of Darshan.
NAMED = re.compile(
    r"(?<![\w./-])[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?![\w./*-])"
    r"|(?<![\w-])--[a-z][a-z0-9-]+"
    r"|\b(?:DARSHAN|DXT|GUARD|SPIN|RUNTIME|STORE)_[A-Z0-9_]*[A-Z0-9]\b(?!_)"
)
# Pattern of a file's name on a page.
FILE = re.compile(r"(?<![\w*….{}<>$/])[\w./-]*\w+\.(?:c|h|def|py|S|inc|json|tex)\b(?!\.)")
# Names on pages that the tree does not have: examples, and names of other programs.
NOT_OURS = {
    "my_read",
    ".tried.json",
    "--host",
    "--nproc-per-node",
    "DARSHAN_EXCLUDE_DIRS",
    "darshan_wrap_open",
    "script.py",
    "train.py",
    "mpif.h",
    "--packages",  # of spark-sql
    "--chunkshape",  # of ptrepack
    "--complevel",
    "--zlib",  # of nc3tonc4
    "gdal_translate",
    "--vcf",  # of vcftools
    "--site-quality",
    "dxt_analyzer.py",
    "plot_access_histogram",
    "plot_opcounts",
}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_names_exist(page: Path, told: tuple[list[str], set[str]]) -> None:
    """Functions, options, settings and files that a page names in backticks exist in the tree.
    Pages that invent names or are generated are not checked."""
    if page.name.startswith("howto-") or page.name in MADE:
        return  # they invent names, or are generated from the tree
    paths, words = told
    wrong = []
    for code in re.findall(r"`([^`\n]+)`", prose(page)):
        wrong += [name for name in NAMED.findall(code) if name not in words | NOT_OURS]
        wrong += [
            name
            for name in FILE.findall(code)
            if name not in NOT_OURS
            and not any(f"/{path}".endswith("/" + name.lstrip("./")) for path in paths)
        ]
    assert not wrong


def test_metadata_keys_are_told() -> None:
    """doc/log-format.md lists each key that the runtime and darshan-merge write into a log's
    metadata."""
    key = re.compile(
        r'darshan_metadata_add\([^;]*?,\s*used,\s*"(\w+)"|add_number\(&used, "(\w+)"|"([a-z_]+)="'
    )
    sources = [*(TREE / "runtime").rglob("*.c"), TREE / "util/merge/darshan-merge.c"]
    keys = {"".join(found) for path in sources for found in key.findall(path.read_text("utf-8"))}
    page = (TREE / "doc/log-format.md").read_text("utf-8")
    told = re.search(r"^\*\*Metadata\*\*.*?^\*\*", page, re.MULTILINE | re.DOTALL)
    assert told
    assert {"lib_ver", "clock", "hosts", "seccomp", "rank", "missing_ranks"} <= keys
    assert not keys - set(re.findall(r"`(\w+)`", told[0]))


def test_parts_of_the_bench_are_told() -> None:
    """doc/performance.md lists exactly the parts of the benchmark, in the order of
    darshan-test/bench/run."""
    table = (TREE / "darshan-test/bench/run").read_text("utf-8")
    (parts,) = re.findall(r"^PARTS = \{\n(.*?)^\}", table, re.MULTILINE | re.DOTALL)
    page = (TREE / "doc/performance.md").read_text("utf-8")
    (told,) = re.findall(r"# one part: (.*)", page)
    assert told.split() == re.findall(r'"(\w+)":', parts)


def test_what_a_bystander_costs(build: Path) -> None:
    """A process without recorded I/O makes as many additional system calls as doc/deploy.md
    states."""
    needs("program:strace", "no-filter")

    def calls(*options: str) -> int:
        done = subprocess.run(
            ["strace", *options, "true"],
            stderr=subprocess.PIPE,
            text=True,
            check=True,
            timeout=SECONDS,
        )
        lines = done.stderr.splitlines()
        loaded = max(i for i, line in enumerate(lines) if line.startswith("munmap"))
        return len(lines) - loaded

    page = (TREE / "doc/deploy.md").read_text("utf-8")
    numbers = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    (said,) = re.findall(r"(\w+) system calls of its own", page)
    assert calls(*for_command(preload(library_of(build)))) - calls() == numbers.index(said)


def shell_lines() -> list[tuple[str, str]]:
    """Returns the page and the text of each line in the pages' blocks of shell commands, without
    comments."""
    return [
        (named(page), re.split(r"(?:^|\s)#", line)[0])
        for page in PAGES
        for block in re.findall(
            r"^```(?:sh|console)\n(.*?)^```", page.read_text("utf-8"), re.M | re.S
        )
        for line in block.splitlines()
    ]


def test_commands_have_these_options(build: Path) -> None:
    """Each `darshan COMMAND` in a block of a page exists, and its --help has the options that the
    page uses."""

    def usage(*command: str) -> str:
        return subprocess.run(
            [build / command[0], *command[1:], "--help"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,  # --help is a usage error for 3.5.0's parser too
            timeout=SECONDS,
        ).stdout

    front = usage("darshan")
    names = re.findall(r"^  ([a-z][a-z-]+) ", front, re.MULTILINE)
    texts = {name: usage("darshan", name) for name in names}
    seen = set()
    for page, line in shell_lines():
        called = re.match(r"(?:\$ )?darshan ([a-z][a-z-]*)((?: +-\S+(?: [A-Z]\S*)?)*)", line)
        if not called:
            continue
        name, options = called[1], re.findall(r"(?<= )-{1,2}[a-z][a-z-]*", called[2])
        assert name in texts, f"{page}: {line}"
        seen.add(name)
        for option in options:
            assert re.search(rf"(?<![\w-]){option}(?![\w-])", texts[name]), f"{page}: {line}"
    assert seen >= {"run", "stat", "report", "parse", "merge", "watch"}


def test_make_has_these_targets() -> None:
    """Each `make TARGET` on a page, in its commands and in its text, exists in a makefile of the
    tree."""
    texts = [
        (TREE / path).read_text("utf-8") for path in tracked() if path.endswith((".inc", ".am"))
    ]
    known = set(re.findall(r"[\w./-]+", "\n".join(texts))) | {"check", "install", "distcheck"}
    wrong = []
    for page in PAGES:
        for words in re.findall(
            r"(?:^|`|&& )make((?: +[\w./-]+)+)(?=`|$| +[a-z]+=| +#)",
            page.read_text("utf-8"),
            re.MULTILINE,
        ):
            targets = re.sub(r"-C \S+", "", words).split()
            wrong += [f"{named(page)}: {name}" for name in targets if name not in known]
    assert not wrong


def examples() -> list[tuple[str, str, list[str]]]:
    """Returns the page, the command and the printed lines of each example in a `console` block.
    Examples whose command has the comment "# elsewhere" were run on another machine and are left
    out."""
    found = []
    for page in PAGES:
        for block in re.findall(r"^```console\n(.*?)^```", page.read_text("utf-8"), re.M | re.S):
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, *lines = part.splitlines()
                if "# elsewhere" not in command:
                    found.append((named(page), command, lines))
    return found


def form(line: str) -> str:
    """Returns the part of a printed line that is the same in each run: the words before the first
    number or path."""
    return " ".join(re.split(r"(?<!\w)-?\d|/", line)[0].split())


# A program that is killed, as in the user guide.
SOLVER = """#!/bin/sh
dd if=/bin/sh of=out bs=4k count=2 2>/dev/null
exec sh -c 'echo x >out; kill -9 $$'
"""


@pytest.fixture
def work(build: Path, tmp_path: Path) -> Path:
    """Makes a folder with the files that the examples need: a program `solver`, values.txt and
    waves.h5. Returns the folder. Skips the test without the tools of HDF5."""
    solver = tmp_path / "solver"
    solver.write_text(SOLVER)
    solver.chmod(0o755)
    values = tmp_path / "values.txt"
    values.write_text(" ".join(f"{(7 * i) % 100}.5" for i in range(512 * 512)))
    needs("program:h5repack")
    command = ["h5import", values, "-d", "512,512", "-p", "/waves", "-t", "TEXTFP", "-s", "64"]
    subprocess.run([*command, "-o", tmp_path / "waves.h5"], check=True, timeout=SECONDS)
    return tmp_path


@pytest.mark.parametrize(("page", "command", "lines"), examples())
def test_examples(page: str, command: str, lines: list[str], build: Path, work: Path) -> None:
    """An example of a page runs as written, and prints lines of the same form as on the page, in
    the same order."""
    env = os.environ | {"PATH": f"{build}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=work,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode in (0, -signal.SIGKILL, 128 + signal.SIGKILL), done.stdout
    printed = [form(line) for line in done.stdout.splitlines()]
    for line in lines:
        # Rows of single files and streams depend on their times.
        if line.strip() and not line.startswith(("/", "<")):
            assert form(line) in printed, f"{page}: {line}\n{done.stdout}"
