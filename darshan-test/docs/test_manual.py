"""The manual pages have the complete text of each command's --help, and `darshan help` shows
them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tree import SOURCE

sys.path.insert(0, str(SOURCE / "doc" / "commands"))

import describe
import help as helps

# The folder of the manual pages.
PAGES = SOURCE / "doc" / "man"
# All commands by name, as doc/commands lists them.
COMMANDS = {command.name: command for command in helps.commands()}
SECONDS = 60
# Pattern of an option in a text.
OPTION = r"(?<![\w\[(/=-])--?[A-Za-z][\w-]*"


def words(text: str) -> set[str]:
    """Returns every word in a text that looks like an option."""
    return set(re.findall(OPTION, re.sub(r"[\[(|]", " ", text)))


def plain(page: Path) -> str:
    """Returns the text of a manual page without comments, font changes and escapes."""
    text = "\n".join(line for line in page.read_text("utf-8").split("\n") if line[:3] != '.\\"')
    return re.sub(r"\\f[BIR]", "", text).replace("\\-", "-").replace("\\&", "")


def test_every_program_has_a_row(build: Path) -> None:
    """Each program that `make` installs has a row in the list of commands, under each of its
    names."""
    named = {n for c in COMMANDS.values() for n in (c.words[0].rpartition("/")[2], *c.others)}
    scripts = {path.stem for path in (SOURCE / "runtime" / "link").glob("darshan-config*")}
    programs = {p.name for p in build.glob("darshan*") if p.is_file() and p.stat().st_mode & 1}
    assert {p for p in programs if not p.endswith(".so")} | scripts <= named
    assert "darshan-parser" in programs


def test_pages_are_those_of_today(build: Path) -> None:
    """The manual pages are those that ./dev describe would write now."""
    assert {path.name: path.read_text("utf-8") for path in PAGES.iterdir()} == describe.manual(
        build
    ), "run ./dev describe"


@pytest.mark.parametrize("name", COMMANDS)
def test_version(name: str, build: Path) -> None:
    """Each command prints one line for --version and exits with 0, as doc/what-stays.md
    promises."""
    words = COMMANDS[name].words
    here = (build / words[0]) if words[0][0] != "/" else Path(f"{build}/{words[0][1:]}")
    if not here.exists():  # a source that is installed unchanged, next to another command
        here = build / "runtime" / "link" / "darshan-config"
    done = subprocess.run(
        [here, *words[1:], "--version"], capture_output=True, text=True, timeout=SECONDS, check=True
    )
    assert re.fullmatch(r"([a-z-]+ )?\d+(\.\d+)+\n", done.stdout)
    assert done.stderr == ""


@pytest.mark.parametrize("name", [n for n in COMMANDS if n != "darshan-gen-cc"])
def test_help_that_cannot_be_written(name: str, build: Path) -> None:
    """If a command's --help cannot be written, because the disk is full, one or two lines on
    standard error say so, without a Python traceback, and the exit status is 1."""
    words = COMMANDS[name].words
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [build / words[0], *words[1:], "--help"], stdout=full, stderr=subprocess.PIPE,
            text=True, timeout=SECONDS, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert re.search(r"^.*No space left on device\n", done.stderr)
    assert done.stderr.count("\n") <= 2  # in a script each program that writes prints an error


@pytest.mark.parametrize("name", COMMANDS)
def test_options_of_a_page(name: str, build: Path) -> None:
    """A command's manual page has exactly the options of its --help."""
    said = helps.asked(COMMANDS[name], build)
    told = plain(PAGES / f"{name}.1").partition(".SH SEE ALSO")[0].partition(".SH SYNOPSIS")[2]
    assert words(said) - words(told) == set()
    assert words(told) - words(said) == set()


def test_a_word_of_each_text_is_in_its_page(build: Path) -> None:
    """Each command's manual page has all words of its --help except headings."""
    for name, command in COMMANDS.items():
        said = re.sub(r"(?m)^[A-Z][a-z]+:$", "", helps.asked(command, build)).lower()
        said = re.sub(r"(?m)^(usage|exit status|positional arguments|options):", "", said)
        told = (PAGES / f"{name}.1").read_text("utf-8").lower()
        told = re.sub(r"\\(?:f[bir]|&)", "", told).replace("\\(aq", "'").replace("\\-", "-")
        lost = set(re.findall(r"[a-z]{4,}", said)) - set(re.findall(r"[a-z]{4,}", told))
        assert lost == set(), name


def test_every_setting_is_told() -> None:
    """darshan.7 names each environment variable and each directive of the runtime."""
    told = plain(PAGES / "darshan.7")
    rows = (SOURCE / "runtime" / "job" / "config" / "settings.def").read_text()
    for variable, directive in re.findall(
        r'^SETTING\(\w+, ("\w+"|NULL),\s*("\w+"|NULL)', rows, re.M
    ):
        for word in {variable, directive} - {"NULL"}:
            assert word.strip('"') in told


@pytest.mark.needs("program:man")
def test_pages_are_set_without_warnings(tmp_path: Path) -> None:
    """man formats each manual page without a warning. The pages are in the folders of an
    installation, because some refer to others."""
    for section in "17":
        shutil.copytree(PAGES, tmp_path / f"man{section}", ignore=lambda _, names, s=section: [
            name for name in names if not name.endswith(s)])  # fmt: skip
    for page in PAGES.iterdir():
        done = subprocess.run(
            ["man", "--warnings", "-l", f"man{page.name[-1]}/{page.name}"], cwd=tmp_path,
            capture_output=True, text=True, timeout=SECONDS, check=False,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "MANWIDTH": "80"},
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, ""), page.name
        assert "NAME" in done.stdout, page.name


@pytest.fixture
def installed(tmp_path: Path, build: Path) -> Path:
    """Installs darshan, darshan-parser and the manual like `make install`. Returns the installation
    folder."""
    (tmp_path / "bin").mkdir()
    for program in ("darshan", "darshan-parser"):
        shutil.copy(build / program, tmp_path / "bin")
    shutil.copytree(PAGES, tmp_path / "share" / "man" / "man1")
    return tmp_path


def asked_for(installed: Path, *command: str) -> str:
    """Returns the output of `darshan help` of the installation, with only the folder "reader" in
    PATH, where a test may place a `man`. command: the words after "help"."""
    done = subprocess.run(
        [installed / "bin" / "darshan", "help", *command], env={"PATH": str(installed / "reader")},
        capture_output=True, text=True, timeout=SECONDS, check=True,
    )  # fmt: skip
    return done.stdout


@pytest.mark.parametrize("word, page", [("", "darshan"), ("run", "darshan-run"),
                                        ("parse", "darshan-parser"),
                                        ("darshan-parser", "darshan-parser")])  # fmt: skip
def test_help_opens_the_page(word: str, page: str, installed: Path) -> None:
    """`darshan help COMMAND` opens the command's manual page with `man`, or prints the text of
    --help if there is no `man` or no page."""
    words = [word] if word else []
    without = asked_for(installed, *words)
    assert without.lower().startswith(f"usage: darshan {word.removeprefix('darshan-')[:5]}")
    (installed / "reader").mkdir()
    man = installed / "reader" / "man"
    man.write_text('#!/bin/sh\necho "shown: $1"\n')
    man.chmod(0o755)
    shown = asked_for(installed, *words).strip().removeprefix("shown: ")
    assert Path(shown).resolve() == installed / "share" / "man" / "man1" / f"{page}.1"
    (installed / "share").rename(installed / "elsewhere")
    assert asked_for(installed, *words) == without


def test_help_of_a_word_that_is_no_command(build: Path) -> None:
    """An unknown command causes an error with its name, and exit status 2."""
    done = subprocess.run(
        [build / "darshan", "help", "bogus"], capture_output=True, text=True, timeout=SECONDS,
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("darshan: unknown command bogus\n")


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_and_exit_status(name: str) -> None:
    """Each manual page has examples, all of which begin with the command, and one list of exit
    statuses."""
    page = plain(PAGES / f"{name}.1")
    assert page.count(".SH EXAMPLES\n") == page.count(".SH EXIT STATUS\n") == 1
    examples = re.findall(r"(?s)\.nf\n(.*?)\.fi", page.partition(".SH EXAMPLES\n")[2])[0]
    named = {n.removeprefix("darshan-") for n in (name, *COMMANDS[name].others)}
    assert re.search(rf"(?m)^  (\S+=\S+ )?darshan ({'|'.join(named | {'stat'})})\b", examples)


def test_blocks_are_those_of_commands() -> None:
    """more.txt, which has the examples and explanations of the pages, has one block for each
    command."""
    blocks = re.findall(r"(?m)^@(\S+)$", (SOURCE / "doc/commands/more.txt").read_text("utf-8"))
    assert sorted(blocks) == sorted(COMMANDS)


def test_the_columns_of_stat(build: Path, tmp_path: Path) -> None:
    """The manual page of `darshan stat` explains each column of the table of layers that the
    command prints."""
    program = [sys.executable, "-c", "open('f', 'w').write('x'); open('f').read()"]
    done = subprocess.run(
        [build / "darshan", "stat", "-o", tmp_path, *program], cwd=tmp_path, timeout=SECONDS,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    tables = [line.split() for line in done.stderr.splitlines() if line.startswith("layer ")]
    told = plain(PAGES / "darshan-stat.1").partition(".SH COLUMNS")[2].partition(".SH")[0]
    explained = {w for line in re.findall(r"(?m)^([^:\n]+):", told) for w in line.split(", ")}
    assert tables and set(tables[0]) <= explained


@pytest.mark.parametrize(
    "script, said",
    [
        (None, r"cannot run \S+/broken --help: No such file or directory \(is \S+ built\?\)"),
        ("", r"\S+/broken --help failed: exit status 0; it printed no error"),
        ("echo lost >&2; exit 3", r"\S+/broken --help failed: exit status 3; lost"),
        ("kill -9 $$", r"\S+/broken --help failed: signal 9; it printed no error"),
        ("exec sleep 60", r"\S+/broken --help did not end within 1 s"),
    ],
)
def test_a_help_that_fails(
    script: str | None, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a command's --help fails or does not end, ./dev describe raises an error that names the
    command and the reason, and changes no file. script: the command's shell script, None if it is
    missing."""
    if script is not None:
        (tmp_path / "broken").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "broken").chmod(0o755)
    row = helps.Command("broken", ["broken"], "a command that fails", [], "tools")
    monkeypatch.setattr(describe, "commands", lambda: [row])
    monkeypatch.setattr(describe, "DOC", tmp_path / "doc")
    monkeypatch.setattr(helps, "SECONDS", 1)
    with pytest.raises(helps.HelpFailed) as failed:
        describe.main(tmp_path)
    assert re.fullmatch(said, str(failed.value)), failed.value
    assert not (tmp_path / "doc").exists()
