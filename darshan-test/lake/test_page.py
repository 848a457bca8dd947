"""What is written of the tables is what they are."""

from __future__ import annotations

from .describe import PAGE, page


def test_the_page_of_tables_is_made_of_them() -> None:
    """./dev describe makes it."""
    assert PAGE.read_text("utf-8") == page()
