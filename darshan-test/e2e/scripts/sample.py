"""Two tests for pytest, which is one of the recorded programs."""

from pathlib import Path


def test_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    assert (tmp_path / "a").read_text() == "a"


def test_folder() -> None:
    assert Path("made").write_bytes(bytes(1000)) == 1000
