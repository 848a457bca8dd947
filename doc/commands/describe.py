"""The manual and completion, made of what commands say when they are asked: ./dev describe."""

from __future__ import annotations

import sys
from pathlib import Path

import completion
import pages
from help import HERE, HelpFailed, commands, read

DOC = HERE.parent


def manual(build: Path) -> dict[str, str]:
    """Returns the files of doc/man, by name."""
    rows = commands()
    names = [command.name for command in rows]
    made = {"darshan.7": pages.runtime_page()}
    for command in rows:
        made[f"{command.name}.1"] = pages.page(command, read(command, build), names)
        made.update({f"{other}.1": pages.alias(command.name) for other in command.others})
    return made


def shells(build: Path) -> dict[str, dict[str, str]]:
    """Returns the files of the folders of doc/completion, by shell and name."""
    rows = commands()
    forms = {command.name: read(command, build) for command in rows}
    return {
        "bash": {"darshan": completion.bash(rows, forms)},
        "zsh": {"_darshan": completion.zsh(rows, forms)},
        "fish": completion.fish(rows, forms),
    }


def write(folder: Path, files: dict[str, str]) -> None:
    """Writes the files, and removes files of commands that no longer exist."""
    folder.mkdir(exist_ok=True, parents=True)
    for old in folder.iterdir():
        if old.name not in files:
            old.unlink()
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")


def main(build: Path) -> None:
    """Writes the manual pages and completion files. First reads the --help text of every command,
    so that a failure changes no file.
    """
    folders = {DOC / "man": manual(build)}
    folders |= {DOC / "completion" / shell: files for shell, files in shells(build).items()}
    for folder, files in folders.items():
        write(folder, files)


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]).resolve())
    except HelpFailed as error:
        sys.exit(f"describe: {error}")
