"""In the small study, the runtime changes no byte of the edited file, and the counters of the log
show the reason for the cost of each level."""

from __future__ import annotations

import pytest
from edit_atomicity import LEVELS, NINE, Measured, Study
from instrumented import Lab, digest

# Sizes of the files in megabytes.
SIZES = (1, 3)
# Number of commands in NINE.
COMMANDS = NINE.read_text().count("CREATE")


@pytest.fixture(scope="module")
def study(lab: Lab) -> Study:
    """Returns the study without syncing, which does not change the counters below."""
    return Study(lab, ("--no-sync",), SIZES)


@pytest.fixture(scope="module")
def measured(study: Study) -> dict[tuple[int, str], Measured]:
    """Measures every size and level once. Returns the results by size in MB and level. Fails if the
    runtime changes the file."""
    return study.table(rounds=1)


@pytest.fixture(scope="module")
def file_size(study: Study) -> dict[int, int]:
    """Returns the size in bytes of each file before the edit, by its size in MB."""
    return {size: study.make("size.h5", size * 1_000_000).stat().st_size for size in SIZES}


def test_nine_commands() -> None:
    """The nine commands of the study have the types and shapes of the source: rank 3, one array of
    doubles, the others of integers."""
    text = NINE.read_text()
    assert COMMANDS == 9
    assert text.count("H5T_IEEE_F64LE (2, 3, 4)") == 1
    assert text.count("H5T_STD_I32BE (2, 3, 4)") == 8


def test_levels_leave_the_same_file(study: Study) -> None:
    """All levels of protection leave a file of the same bytes, and no backup or journal."""
    digests = set()
    for level in LEVELS:
        path = study.make("level.h5", 200_000)
        study.lab.run(study.command(level, path), instrumented=False)
        digests.add(digest(path))
        assert not list(path.parent.glob(".level.h5*"))
    assert len(digests) == 1


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("level", "copies"), [("yes", 1), ("inc", COMMANDS)])
def test_backups_copy_the_file(
    measured: dict[tuple[int, str], Measured],
    file_size: dict[int, int],
    size: int,
    level: str,
    copies: int,
) -> None:
    """The log shows that h5edit writes the whole file to backups and reads as much of it: one copy
    at level `yes`, one for each command at `inc`."""
    counters = measured[size, level].counters
    backup, file = counters[".edited.h5.bck-new"], counters["edited.h5"]
    growth = file["BYTES_WRITTEN"]  # the copied file may have grown by this much
    assert copies * file_size[size] <= backup["BYTES_WRITTEN"]
    assert backup["BYTES_WRITTEN"] <= copies * (file_size[size] + growth)
    assert file["BYTES_READ"] >= backup["BYTES_WRITTEN"]
    assert backup["OPENS"] == copies


def test_journal_does_not_grow_with_the_file(
    measured: dict[tuple[int, str], Measured], file_size: dict[int, int]
) -> None:
    """At level `delta`, the bytes in the journal and all bytes read and written are the same for a
    small and a large file."""
    small, large = (measured[size, "delta"] for size in SIZES)
    journals = [study.counters[".edited.h5.undo"] for study in (small, large)]
    assert journals[0]["BYTES_WRITTEN"] == journals[1]["BYTES_WRITTEN"]
    assert 0 < journals[0]["BYTES_WRITTEN"] < 65536
    for counter in ("BYTES_WRITTEN", "BYTES_READ", "WRITES", "READS"):
        assert small.total(counter) == large.total(counter)
    assert large.total("BYTES_READ") < file_size[SIZES[1]] / 10


def test_syncing_is_counted(lab: Lab) -> None:
    """The log of a durable edit has the syncs of file and journal; with --no-sync it has none."""
    path = lab.folder / "synced.h5"
    syncs = []
    for options in ((), ("--no-sync",)):
        study = Study(lab, options)
        study.make(path.name, 100_000)
        counters = study.pair(path, "delta").counters
        syncs.append({name: file["FSYNCS"] for name, file in counters.items()})
    assert syncs[0]["synced.h5"] == 1
    assert syncs[0][".synced.h5.undo"] > 1
    assert not any(count for name, count in syncs[1].items() if name.endswith((".h5", ".undo")))
