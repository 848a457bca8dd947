"""The manual, made of what commands say when they are asked: ./dev describe."""

from __future__ import annotations

import sys
from pathlib import Path

import pages
from help import commands, read


def manual(build: Path) -> dict[str, str]:
    """Files of doc/man."""
    rows = commands()
    names = [command.name for command in rows]
    made = {"darshan.7": pages.runtime_page()}
    for command in rows:
        made[f"{command.name}.1"] = pages.page(command, read(command, build), names)
        made.update({f"{other}.1": pages.alias(command.name) for other in command.others})
    return made


if __name__ == "__main__":
    pages.write(pages.DOC / "man", manual(Path(sys.argv[1]).resolve()))
