"""Fixtures of the tests of a build for another kind of machine; only `./dev cross` runs these
tests."""

from __future__ import annotations

from tree import build_folder

BUILD = build_folder()
# The kinds of machines, each with a test file.
KINDS = ("aarch64", "musl")
note = BUILD / "built-for"
target = note.read_text().strip() if note.exists() else ""
collect_ignore_glob = [f"test_{kind}.py" for kind in KINDS if kind != target]
