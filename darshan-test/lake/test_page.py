"""The documentation page of a lake's tables is up to date."""

from __future__ import annotations

from .describe import PAGE, page


def test_the_page_of_tables_is_made_of_them() -> None:
    """doc/centre-tables.md is the page that `./dev describe` generates."""
    assert PAGE.read_text("utf-8") == page()
