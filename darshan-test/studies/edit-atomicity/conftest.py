"""The fixture with the file that is edited, and its contents after each command."""

from __future__ import annotations

import pytest
from edit_atomicity import NINE, Study
from instrumented import Lab
from killing import Case

# Bytes of the file.
SIZE = 70_000


@pytest.fixture(scope="module")
def case(lab: Lab) -> Case:
    """Makes the file, and all its valid states: its bytes before the edit and after each of the
    nine commands. Edits without syncing, which has no effect on kills."""
    study = Study(lab, ("--no-sync",))
    path = study.make("states.h5", SIZE)
    states = [path.read_bytes()]
    single = lab.folder / "single"
    for command in NINE.read_text().split(";")[:-1]:
        single.write_text(f"{command};")
        lab.run(study.command("no", path, single), instrumented=False)
        states.append(path.read_bytes())
    assert len(set(states)) == len(states) == 10
    return Case(study, path, states)
