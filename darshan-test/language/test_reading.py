"""`./dev reading` draws commented declarations, messages and paragraphs, independently of other
files. `./dev lint --words` reports sentences without a named subject."""

from __future__ import annotations

import pytest
from declarations import items
from first_words import findings
from reading import SHARES, drawn, now, working_tree
from tree import SOURCE

# A C file with each kind of item.
C = """/* The file's purpose. */

#include <stdio.h>

int far; /* beside a variable */
int bare(void);

/* Apart from what follows. */

static int alone(int a) { return a; }

/* Adds up. */
int adds(struct pair *pair, int (*how)(int))
{
  int inside = 0; /* not drawn */
  if (!how) fprintf(stderr, "prog: %s: cannot "
                    "add\\n", pair->name);
  return inside;
}

/* Two numbers. */
struct pair {
  int a; /* the first */
};
"""


def test_declarations_of_c() -> None:
    """`./dev reading` shows the comment immediately above a C declaration, and the declaration: a
    type completely, a function without its body."""
    found = {item.name: item.text for item in items("a.c", C)["declaration"]}
    assert found == {
        "a.c": "/* The file's purpose. */",
        "a.c:adds": "/* Adds up. */\nint adds(struct pair *pair, int (*how)(int))",
        "a.c:pair": "/* Two numbers. */\nstruct pair {\n  int a; /* the first */\n};",
    }


def test_messages_of_c() -> None:
    """In `./dev reading`, a C message whose string is written in two parts is one item."""
    assert [item.text for item in items("a.c", C)["message"]] == [
        'fprintf("prog: %s: cannot add\\n")'
    ]


def test_python() -> None:
    """`./dev reading` shows a Python function's decorators, signature and docstring without its
    body; the string of a raised error is a message."""
    text = (
        '"""Head."""\n@mark\ndef f(a: int) -> int:\n    """Doc."""\n    raise E(f"no {a} here")\n'
    )
    found = items("a.py", text)
    assert [item.text for item in found["declaration"]] == [
        "Head.",
        '@mark\ndef f(a: int) -> int:\n    """Doc."""',
    ]
    assert [item.text for item in found["message"]] == ["E(f'no {a} here')"]


def test_the_draw() -> None:
    """In `./dev reading`, each group has its full number of items, and the same seed draws the same
    items. A change of another file does not change the draw."""
    every = working_tree(SOURCE)  # to read them all three times takes a minute
    texts = {name: every[name] for name in [*sorted(every)[::3], "doc/index.md"]}
    first = drawn(texts, 1)
    assert len({(what, item.name) for what, item in first}) == sum(count for _, count, _ in SHARES)
    texts["doc/index.md"] = ""
    gone = {item.name for _, item in first} - {item.name for _, item in drawn(texts, 1)}
    assert all(name.startswith("doc/index.md") for name in gone)
    assert drawn(texts, 2) != first


def test_a_draw_of_another_commit() -> None:
    """With --from, a declaration that has lost its comment is shown without one, under the new path
    of its file, and one that is gone is shown as gone."""
    bare = C.replace("/* Adds up. */\n", "")
    text = now("declaration", "a.c:adds", {"b.c": bare}, {"a.c": "b.c"})
    assert text == "int adds(struct pair *pair, int (*how)(int))"
    assert now("declaration", "a.c:lost", {"a.c": bare}, {}).startswith("(it is gone")


@pytest.mark.parametrize(
    ("comment", "listed"),
    [
        ("Who finds none takes private memory.", 1),
        ("The kernel keeps it. Of larger pages it gives back none.", 1),
        ("One that is locked.", 1),
        ("Which of the two is mapped?", 0),
        ("NULL: none.", 0),
        ("One record per file; what is too much is folded.", 0),
        ("As what.c of Example.Of does, e.g. when it is open.", 0),
        ("What-if analysis.", 0),
    ],
)
def test_first_words(comment: str, listed: int) -> None:
    """`./dev lint --words` lists sentences that begin without a named subject, with the line of
    their comment, in C, Python and scripts. listed: number of such sentences."""
    texts = {
        "a.c": f"int a;\n/* {comment} */",
        "a.py": f"A = 1\n# {comment}\n",
        "a.sh": f"#!/bin/sh\n# {comment}\n",
    }
    for name, text in texts.items():
        assert [finding.line for finding in findings(name, text)] == [2] * listed, name
    in_docstring = f'def f():\n    """{comment}"""\n'
    assert len(findings("a.py", in_docstring)) == listed
