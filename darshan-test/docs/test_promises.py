"""The tree and the build have each name in docs/promised.txt, the list of names that
doc/what-stays.md promises to keep."""

from __future__ import annotations

import re
from pathlib import Path

import promises
import pytest
from tree import SOURCE

# The promised names, each with its kind in front.
PROMISED = (Path(__file__).parent / "promised.txt").read_text("utf-8").splitlines()
# The kinds of names.
KINDS = sorted({row.split()[0] for row in PROMISED})
PAGE = (SOURCE / "doc" / "what-stays.md").read_text("utf-8")


@pytest.fixture(scope="module")
def now(build: Path) -> list[str]:
    """Returns all names of this build that users may rely on, each as a line of text that begins
    with its kind."""
    return promises.names(build)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_taken_away(kind: str, now: list[str]) -> None:
    """Each promised name of a kind still exists, and a counter still has its index in the
    record."""
    there = set(now)
    lost = [row for row in PROMISED if row.split()[0] == kind and row not in there]
    assert not lost, "doc/what-stays.md: a name that was promised is gone, or is elsewhere"


def test_every_kind_is_promised(now: list[str]) -> None:
    """promises.py finds names of each kind (command, option, counter and so on); otherwise the
    promises of a kind would not be checked."""
    assert sorted({row.split()[0] for row in now}) == KINDS
    fewest = min(KINDS, key=lambda kind: sum(row.split()[0] == kind for row in PROMISED))
    assert sum(row.split()[0] == fewest for row in PROMISED) > 5, fewest


def test_what_others_link_to_is_there_once() -> None:
    """In doc/counters.md and doc/diagnoses.md, each promised counter and diagnosis has exactly one
    anchor for links, as doc/site.md promises."""
    names = {"counters": [], "diagnoses": []}
    for row in PROMISED:
        kind, *words = row.split()
        if kind in ("counter", "fcounter"):
            names["counters"].append(words[-1].lower())
        elif kind == "diagnosis":
            names["diagnoses"].append(f"diagnosis-{words[-1]}")
    for page, wanted in names.items():
        text = (SOURCE / "doc" / f"{page}.md").read_text("utf-8")
        anchors = re.findall(r'<a id="([\w-]+)"></a>', text)
        assert len(anchors) == len(set(anchors)) > 50
        assert not set(wanted).difference(anchors)


def test_tests_of_the_page_are_there() -> None:
    """The files and folders of tests that doc/what-stays.md names exist."""
    named = set(re.findall(r"`(\w+/(?:\w+/)?(?:\w+\.py)?)`", PAGE))
    assert len(named) > 8
    assert not [path for path in named if not (SOURCE / "darshan-test" / path).exists()]


def test_versions_are_told_alike(build: Path) -> None:
    """The newest section of CHANGELOG.md and the build have the version of configure.ac."""
    version = re.search(r"AC_INIT\(\[darshan\], \[(.+?)\]\)", (SOURCE / "configure.ac").read_text())
    changes = (SOURCE / "CHANGELOG.md").read_text("utf-8")
    sections = re.findall(r"^## (\S+)", changes, re.MULTILINE)
    assert version and sections[0] == version[1]
    config = (build / "config.h").read_text()
    assert f'#define PACKAGE_VERSION "{version[1]}"' in config
