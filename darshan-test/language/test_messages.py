"""`./dev lint --messages` finds messages that do not say what failed, and this source tree has
none."""

from __future__ import annotations

import pytest
from messages import findings, tree_findings
from tree import SOURCE

# Lines of C whose message is complete, or that have none.
GOOD = [
    'say("cannot read %s: %s", path, strerror(errno));',
    'say("cannot use --all-users: only root may");',
    'fprintf(stderr, "%s: cannot write to standard output: %s", called_as("x"), strerror(e));',
    'DARSHAN_MESSAGE(&darshan_problems, "cannot remove ", journal->path);',
    'say("made %zu logs", count);',
    'printf("cannot happen");',
    '/* say("cannot read"); */',
]
# Lines of C whose message does not say what failed.
BAD = [
    'say("cannot read: %s", strerror(errno));',
    'fputs("tool: cannot "\n "read\\n", stderr);',
    'merge_say("%s cannot be written", path);',
    'DARSHAN_MESSAGE(&darshan_problems, "could not allocate memory");',
]


@pytest.mark.parametrize("message", GOOD)
def test_quiet_about_a_message_that_names_its_subject(message: str) -> None:
    """`./dev lint --messages` does not report a message that says what failed on which path, a call
    of another function, or a comment."""
    assert findings("a.c", f"void f(void) {{\n  {message}\n}}\n") == []


@pytest.mark.parametrize("message", BAD)
def test_lists_a_message_without_a_subject(message: str) -> None:
    """`./dev lint --messages` reports a message that does not say what failed on which path, with
    the line of its call."""
    (found,) = findings("a.c", f"void f(void) {{\n  {message}\n}}\n")
    assert (found.file, found.line) == ("a.c", 2)


def test_the_tree_has_no_such_message() -> None:
    """No message of the runtime and of the tools is reported."""
    assert tree_findings(SOURCE) == []
