"""The comparison of a program's outputs without and with a remedy detects small differences, also
those that it once did not detect."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from place import elsewhere
from tree import use_binding

use_binding()

from darshan_report.trial.comparing.outputs import Mask, Output, differences  # noqa: E402
from darshan_report.trial.comparing.values import same_values  # noqa: E402
from darshan_report.trial.measure import CHANGED, HELPED, Candidate, Trial  # noqa: E402
from darshan_report.trial.planning.case import Plan  # noqa: E402
from darshan_report.trial.running.ground import Ground  # noqa: E402
from darshan_report.trial.running.runs import Run, Runner  # noqa: E402


def _marks(path: Path) -> None:
    """Adds an extended attribute; skips the test if the file system has none."""
    try:
        os.setxattr(path, "user.mark", b"1")
    except OSError:
        elsewhere("this file system has no extended attributes")


# A change that only one run makes in its folder, and the text about it.
CHANGES: tuple[tuple[Callable[[Path], object], str], ...] = (
    (lambda at: (at / "one").unlink(), "one is removed"),
    (lambda at: (at / "empty").rmdir(), "empty is removed"),
    (lambda at: (at / "new").mkdir(), "new is made or changed"),
    (lambda at: (at / "one").chmod(0o751), "one is made or changed"),
    (lambda at: _marks(at / "one"), "one is made or changed"),
)


@pytest.mark.parametrize(("change", "said"), CHANGES)
def test_what_only_one_run_changed(
    tmp_path: Path, change: Callable[[Path], object], said: str
) -> None:
    """A file or folder that only one run removed, made or changed, also its mode or attributes, is
    a difference. said: the text about it."""
    ground = Ground(str(tmp_path), str(tmp_path / "user"), copy=False)
    ground.prepare()
    data = Path(ground.data)
    (data / "one").write_text("1")
    (data / "empty").mkdir()
    ground.before = {**ground.changes()}  # type: ignore[dict-item]
    none = tmp_path / "stdout"
    none.touch()
    before = Output(0, str(none), ground.data, ground.changes())
    change(data)
    after = Output(0, str(none), ground.data, ground.changes())
    assert list(differences(before, after, Mask())) == [said]
    (back,) = differences(after, before, Mask())
    assert back.startswith(said.partition(" is ")[0])


def test_links_of_hdf5(tmp_path: Path) -> None:
    """The comparison finds HDF5 files with links to different targets different, even if the
    targets do not exist."""
    h5py: Any = pytest.importorskip("h5py")
    links = {
        "soft": h5py.SoftLink("/x"), "other": h5py.SoftLink("/g"), "gone": h5py.SoftLink("/no"),
        "outside": h5py.ExternalLink("o.h5", "/a"), "outside2": h5py.ExternalLink("o.h5", "/b"),
    }  # fmt: skip
    paths = []
    for name, link in links.items():
        paths.append(str(tmp_path / f"{name}.h5"))
        with h5py.File(paths[-1], "w") as file:
            file["x"], file["y"] = [1], link
            file.create_group("g")
    for n, one in enumerate(paths):
        assert [same_values([sys.executable], one, other) for other in paths] == [
            m == n for m in range(len(paths))
        ]


# The note about an output that is not compared.
LINE = "standard output: line 1 not compared"


class _Runs:
    """A stand-in for Runner: its runs have the given outputs, one after another, without and with a
    remedy."""

    command = ("true",)
    limit: float | None = None

    def __init__(self, folder: Path, without: list[str], with_it: list[str]) -> None:
        self.folder, self.without, self.with_it, self.number = folder, without, with_it, 0

    def run(self, plan: Plan | None = None, sites: bool = False) -> Run:
        self.number += 1
        stdout = self.folder / f"stdout-{self.number}"
        texts = self.with_it if plan else self.without
        stdout.write_text(texts.pop(0) if len(texts) > 1 else texts[0])
        return Run(0.3 if plan else 1.0, Output(0, str(stdout), str(self.folder), {}), "log", "")

    def keep_files(self, run: Run, _name: str) -> Run:
        return run


@pytest.mark.parametrize(
    ("without", "with_it", "state", "told"),
    [
        (["ok"], ["ok"], HELPED, []),
        (["ok"], ["bad", "ok"], CHANGED, []),
        (["ok"] * 4 + ["bad", "ok"], ["bad", "ok"], HELPED, [LINE]),
    ],
)
def test_an_output_that_seldom_differs(
    tmp_path: Path, without: list[str], with_it: list[str], state: str, told: list[str]
) -> None:
    """A difference that also occurs between runs without the remedy is ignored and reported. Any
    other difference means that the remedy changed the output. without, with_it: outputs of the
    runs. state: the expected result; told: the reported masks."""
    runs = _Runs(tmp_path, without, with_it)
    trial = Trial(cast("Runner", runs), "", (), float("inf"), lambda _: None)
    trial.first(None)
    trial.second()
    one = Candidate("remedy", Plan("remedy=1"))
    trial.measure([one])
    assert one.state == state
    assert trial.mask.told() == told
