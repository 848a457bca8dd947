"""The documentation page of the tables is up to date."""

from __future__ import annotations

from .describe import PAGE, page


def test_the_page_of_tables_is_made_of_them() -> None:
    """The page is the one that `./dev describe` generates."""
    assert PAGE.read_text("utf-8") == page()
