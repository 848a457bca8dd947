"""Shell completion proposes exactly the words that darshan and its commands accept."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
from pathlib import Path

import pytest
from tree import SOURCE

sys.path.insert(0, str(SOURCE / "doc" / "commands"))

import completion
import describe
import help as helps

# The folder of the completion files, which has a folder for each shell.
FOLDER = SOURCE / "doc" / "completion"
BASH = FOLDER / "bash" / "darshan"
# All commands by name, as doc/commands lists them.
COMMANDS = {command.name: command for command in helps.commands()}
SECONDS = 30
# Calls the completion function as bash does, and prints its proposals, one per line.
ASK = """compopt() { :; }
. "$1"
COMP_WORDS=("${@:2}")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_darshan "${COMP_WORDS[0]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def proposed(*words: str, where: Path | None = None) -> set[str]:
    """Returns the words that the function for bash proposes for the last word of a command line.
    words: the command line. where: the current folder; None for that of the tests."""
    done = subprocess.run(
        ["bash", "--norc", "-c", ASK, "bash", BASH, *words], capture_output=True, text=True,
        timeout=SECONDS, check=True, cwd=where, env={"PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert done.stderr == ""
    return set(done.stdout.split())


def accepted(name: str, build: Path) -> set[str]:
    """Returns the options of a command that its --help lists, or that its usage line has. name: of
    the command's manual page."""
    found = set()
    for line in helps.asked(COMMANDS[name], build).splitlines():
        usage = re.match(r"(usage|Usage|darshan)", line) or re.match(r" {7,}(darshan|\[)", line)
        if usage:
            found |= set(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", line))
        elif re.match(r" +-", line):
            terms = (
                line
                if re.fullmatch(r"( +--[\w-]+)+ *", line)
                else re.split(r"(?<=\S)  ", line.strip())[0]
            )
            found |= set(re.findall(r"(?:^|[\s,])(--?[A-Za-z][\w-]*(?:=[a-z]+)?)", terms))
    return found


@pytest.mark.always
def test_files_are_those_of_today(build: Path) -> None:
    """The files of completion are those that ./dev describe would write now."""
    for shell, files in describe.shells(build).items():
        now = {path.name: path.read_text("utf-8") for path in (FOLDER / shell).iterdir()}
        assert now == files, "run ./dev describe"


@pytest.mark.parametrize("name", COMMANDS)
def test_options_in_bash(name: str, build: Path) -> None:
    """In bash, completion after "-" proposes exactly the options in the command's --help."""
    words = [COMMANDS[name].words[0].rpartition("/")[2], *COMMANDS[name].words[1:]]
    assert proposed(*words, "-") == accepted(name, build) if name != "darshan" else True
    for option in accepted(name, build):
        assert option in proposed(*words, option[:-1])


@pytest.mark.parametrize("name", [n for n, c in COMMANDS.items() if len(c.words) == 1])
def test_options_in_fish(name: str, build: Path) -> None:
    """The fish file of a command has exactly the options of its --help, each without its value."""
    text = (FOLDER / "fish" / f"{name}.fish").read_text()
    if name == "darshan":
        text = "\n".join(line for line in text.splitlines() if "__fish_seen" not in line)
    told = {f"--{o}" for o in re.findall(r" -l ([\w-]+)", text)}
    told |= {f"-{o}" for o in re.findall(r" -s (\w)", text)}
    assert told == {option.partition("=")[0] for option in accepted(name, build)}


@pytest.mark.parametrize("name", COMMANDS)
def test_options_in_zsh(name: str, build: Path) -> None:
    """The zsh function has exactly the options of a command's --help, each without its value."""
    text = (FOLDER / "zsh" / "_darshan").read_text()
    mine = re.search(rf"(?m)^    {re.escape(name)}(?:\|[\w.|-]+)?\)\n(.*?);;$", text, re.DOTALL)
    assert mine
    told = set()
    for line in mine.group(1).splitlines():
        term = re.match(r" +'\*?(?:\([^)]*\)'\{([^}]*)\}|(-[\w-]+))", line)
        told |= set(re.findall(r"-[\w-]+", (term.group(1) or term.group(2)) if term else ""))
    told.discard("-S")
    assert told == {option.partition("=")[0] for option in accepted(name, build)}


def test_commands(build: Path) -> None:
    """After "darshan", completion proposes all commands of the usage and the general options. After
    a command, it proposes the options of that command."""
    usage = helps.asked(COMMANDS["darshan"], build)
    commands = set(re.findall(r"^  ([a-z][a-z-]+) ", usage, re.MULTILINE))
    assert proposed("darshan", "") == {*commands, "-V", "--version", "-h", "--help"}
    assert proposed("darshan", "re") == {"report", "recover"}
    assert proposed("darshan", "help", "") == commands - {"help"} | {"help"}
    assert proposed("darshan", "parse", "--to") == {"--total"}
    assert proposed("darshan", "merge", "--no-s") == {"--no-shared-redux"}


def test_values_and_programs(tmp_path: Path) -> None:
    """In bash, folders are proposed after -o, commands where a program is expected, and no options
    of Darshan after the program."""
    (tmp_path / "a-folder").mkdir()
    (tmp_path / "a-file").touch()
    assert proposed("darshan", "run", "-o", "a-f", where=tmp_path) == {"a-folder"}
    assert "sort" in proposed("darshan", "run", "-o", "a-folder", "sor", where=tmp_path)
    assert "sort" in proposed("darshan", "stat", "--", "sor", where=tmp_path)
    assert proposed("darshan", "run", "sort", "-", where=tmp_path) == set()
    assert proposed("darshan", "watch", "-n", "-", where=tmp_path) == set()


@pytest.mark.parametrize(
    "typed, refused, some",
    [
        ("darshan-convert --compression", "{} /none/log /none/new", {"zlib", "none"}),
        ("darshan-config --modulefile", "", {"tcl", "lua", "tools", "jobs", "all"}),
        ("darshan lake", "{} --user nobody /none", {"check", "views"}),
        ("darshan lake --user nobody", "{} /none", {"info", "prune"}),
        ("darshan digest --week", "", {"this", "last"}),
        ("darshan ask /none", "", {"losses", "before-after"}),
    ],
)
def test_words_of_few(typed: str, refused: str, some: set[str], build: Path) -> None:
    """For an option or argument that accepts few words, all shells propose exactly these words; the
    command accepts each of them and refuses others. refused: arguments after which a bogus word is
    refused."""
    words = typed.split()
    told = proposed(*words, "")
    assert some <= told
    assert proposed(*words, max(some)[:2]) == {w for w in told if w.startswith(max(some)[:2])}
    name = words[0] if words[0] != "darshan" else f"darshan-{words[1]}"
    zsh = (FOLDER / "zsh" / "_darshan").read_text().partition(f"\n    {name})")[2]
    for text in (zsh.partition(";;")[0], (FOLDER / "fish" / f"{name}.fish").read_text()):
        lists = re.findall(r"[('](\w[\w -]+)[)']", text)
        assert {word for words in lists for word in words.split()} >= told
    if not refused:
        return

    def said(word: str) -> tuple[int, str]:
        done = subprocess.run(
            [build / words[0], *words[1:], *refused.format(word).split()], capture_output=True,
            text=True, timeout=SECONDS, check=False,
        )  # fmt: skip
        return done.returncode, done.stderr

    status, bogus = said("bogus")
    assert status and "bogus" in bogus
    for word in told:
        assert said(word) != (status, bogus.replace("bogus", word))


def test_questions_are_those_that_there_are() -> None:
    """`darshan ask` completes the names of exactly the questions that the package has, also after
    options."""
    folder = SOURCE / "util/python/darshan_report/lake/ask/ready"
    names = {
        name
        for source in folder.glob("*.py")
        for name in re.findall(r"\bQuestion\(\s*\"([\w-]+)\"", source.read_text("utf-8"))
    }
    source = folder / "questions.py"
    names |= set(re.findall(r"^CHANGES = \"(\w+)\"", source.read_text("utf-8"), re.MULTILINE))
    assert proposed("darshan", "ask", "lake", "") == names
    assert proposed("darshan", "ask", "lake", "--top", "3", "--csv", "los") == {"losses"}


def test_a_real_bash(tmp_path: Path) -> None:
    """In an interactive bash, pressing the tab key completes a command, by the completion file that
    bash loads for the command's name."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(PS1="ready>", INPUTRC="/dev/null", TERM="dumb", HOME=str(tmp_path))
        os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
    seen = ""

    def until(text: str) -> None:
        nonlocal seen
        while text not in seen:
            assert select.select([terminal], [], [], SECONDS)[0], seen
            seen += os.read(terminal, 4096).decode()
        seen = seen.partition(text)[2]

    until("ready>")
    os.write(terminal, f". '{BASH}'\n".encode())
    until("ready>")
    os.write(terminal, b"darshan mer\t--no-sh\t")
    until("merge --no-shared-redux ")
    os.write(terminal, b"\x15darshan-diff --rel\t")
    until("darshan-diff --relative ")
    os.write(terminal, b"\x15exit\n")
    os.close(terminal)
    os.waitpid(pid, 0)


def test_every_name_has_its_file() -> None:
    """Each installed command name has a fish file, and bash completes each of them."""
    names = completion.installed(list(COMMANDS.values()))
    assert sorted(f"{name}.fish" for name in names) == sorted(os.listdir(FOLDER / "fish"))
    assert BASH.read_text().splitlines()[-1].endswith(f"-F _darshan {' '.join(names)}")
