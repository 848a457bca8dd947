"""The documentation page of the tables is up to date."""

from __future__ import annotations

from .describe import PAGE, page


def test_the_page_of_tables_is_made_of_them() -> None:
    """./dev describe generates the page."""
    assert PAGE.read_text("utf-8") == page()
