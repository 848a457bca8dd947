"""Folders that ordinary users may use, too: pytest's own are root's alone."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest


@pytest.fixture(scope="session", autouse=True)
def passable(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Everybody may pass through the folders above those of the tests."""
    base, top = tmp_path_factory.getbasetemp(), Path(tempfile.gettempdir())
    for folder in (base, *base.parents):
        if folder == top or folder.stat().st_uid != os.geteuid():
            break
        folder.chmod(folder.stat().st_mode | 0o111)
