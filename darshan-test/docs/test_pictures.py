"""The pictures of the guides are small, each has an explanation, and their script makes them."""

from __future__ import annotations

import re
from pathlib import Path

import pictures
import pytest
from PIL import Image
from tree import SOURCE

# Limits in bytes: a picture, and all together.
LARGEST = 150_000
TOGETHER = 1_500_000
# Colours that a page with text and figures has at least.
COLOURS = 8
# The folder of the pictures.
FOLDER = SOURCE / "doc" / "pictures"
# A picture in a page: its replacement text, and its path.
SHOWN = re.compile(r"!\[([^\]]*)\]\(((?:doc/)?pictures/[\w-]+\.png)\)")


def pages() -> list[Path]:
    """Returns the guides that may contain pictures."""
    return [SOURCE / "README.md", *sorted((SOURCE / "doc").glob("*.md"))]


def test_pictures_are_small() -> None:
    """No picture, and not all together, are larger than the limits."""
    sizes = [path.stat().st_size for path in FOLDER.glob("*.png")]
    assert sizes
    assert max(sizes) < LARGEST
    assert sum(sizes) < TOGETHER


def test_pictures_are_explained() -> None:
    """Each picture in a guide has a text for readers who do not see it, and is followed by a
    paragraph of over ten words that explains it."""
    shown = set()
    for page in pages():
        text = page.read_text("utf-8")
        for found in SHOWN.finditer(text):
            picture = (page.parent / found[2]).resolve()
            assert picture.exists(), f"{page.name}: {found[2]}"
            shown.add(picture)
            assert len(found[1].split()) > 4, f"{page.name}: {found[2]} needs a text"
            caption = text[found.end() :].lstrip().partition("\n\n")[0]
            assert len(caption.split()) > 10, f"{page.name}: {found[2]} needs a caption"
    assert shown == {path.resolve() for path in FOLDER.iterdir()}


@pytest.mark.needs("program:chromium", "program:chromedriver", "program:pdftoppm")
def test_the_script_makes_them(build: Path, tmp_path: Path) -> None:
    """pictures.py makes exactly the pictures that the tree has. Each picture has many colours, so
    none is empty, and all together are below the limit in bytes."""
    pictures.make(build, tmp_path)
    names = sorted(path.name for path in FOLDER.iterdir())
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    for name in names:
        made, kept = (Image.open(folder / name) for folder in (tmp_path, FOLDER))
        assert made.width == kept.width, name
        assert len(made.convert("RGB").getcolors(maxcolors=1 << 24)) >= COLOURS, name
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < TOGETHER
