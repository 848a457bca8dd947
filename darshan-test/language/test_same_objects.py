"""`./dev same-objects` accepts changes of comments, and reports changes of code."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from same_objects import c_form, difference, form, problems
from sample import turning
from source_text import contents, kind, tracked
from tree import SOURCE

# Files in each language: C, Python, shell, JavaScript and make.
C = '#define F(x) ((x) + 1)\n/* Old. */\nint f(int a) /* old */\n{\n  return F(a) - "//"[0];\n}\n'
PYTHON = '"""Old."""\n\n\ndef f() -> int:\n    """Old."""\n    return 1  # old\n'
SHELL = "#!/bin/sh\n# Old.\ncat <<'X'\n# kept\nX\necho '# old' # old\n"
SCRIPT = "// Old.\n/* Old,\n   too. */\nconst a = `\n# kept`; // behind code\n"
MAKE = "# Old.\na: b\n\tcc # old\n"


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("a.c", C, C.replace("/* Old. */", "// New,\n// in two lines.").replace(" /* old */", "")),
        ("a.c", C, C.replace("F(x) (", "F(x)  \\\n /* why */ (")),
        ("a.py", PYTHON, PYTHON.replace("Old.", "New.").replace("  # old", "")),
        (
            "a.py",
            PYTHON,
            PYTHON.replace('    """Old."""\n', '    """New,\n\n    longer.\n    """\n'),
        ),
        ("a.sh", SHELL, SHELL.replace("# Old.\n", "# New,\n# longer.\n").replace("' # old", "'")),
        ("Makefile.inc", MAKE, MAKE.replace("# Old.\n", "# New.\n\n")),
        ("a.js", SCRIPT, SCRIPT.replace("Old", "New").replace("behind", "after")),
        ("a.f90", "! Old.\na = 1\n", "a = 1\n"),
        ("a.md", "Old.\n", "New.\n"),
    ],
)
def test_comments_may_change(name: str, old: str, new: str) -> None:
    """`./dev same-objects` finds no difference between two versions of a file that differ in
    comments only."""
    assert old != new
    assert not difference(name, old, new)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("a.c", C, C.replace("- ", "+ ")),
        ("a.c", C, C.replace('"//"', '"/*"')),
        ("a.c", C, C.replace("F(x) (", "F (x) (")),
        ("a.c", C, C.replace("\n/* Old. */\n", " /* Old. */ ")),
        ("a.c", C, C.replace("/* Old. */", "/* Old. * /")),
        ("a.py", PYTHON, PYTHON.replace("return 1", "return 2")),
        ("a.py", f"{PYTHON}print(__doc__)\n", f"{PYTHON}print(__doc__)\n".replace("Old", "New", 1)),
        ("a.sh", SHELL, SHELL.replace("# kept", "# gone")),
        ("a.sh", SHELL, SHELL.replace("'# old'", "'# new'")),
        ("a.sh", SHELL, SHELL.replace("/bin/sh", "/bin/bash")),
        ("a.js", SCRIPT, SCRIPT.replace("kept", "gone")),
        ("a.js", f"{SCRIPT}'; // old';\n", f"{SCRIPT}'; // new';\n"),
        ("a.f90", "!$omp parallel\n", "!$omp single\n"),
        ("Makefile.inc", MAKE, MAKE.replace("cc", "gcc")),
        ("Makefile.inc", MAKE, MAKE.replace("# Old.", "# Old. \\")),
    ],
)
def test_code_may_not_change(name: str, old: str, new: str) -> None:
    """`./dev same-objects` reports two versions of a file whose code differs, with the first
    difference."""
    assert old != new
    assert "became" in difference(name, old, new)


def test_the_lexer_agrees_with_gcc() -> None:
    """For C files of this tree, c_code() leaves the same tokens as gcc's preprocessor when it
    removes comments."""
    files = [SOURCE / name for name in tracked(SOURCE, "*.c", "*.h", "*.def")]
    for path in turning(files, 0.1, "lexer"):
        command = ["gcc", "-fpreprocessed", "-dD", "-E", "-P", "-x", "c", str(path)]
        bare = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        texts = [text for text in c_form(contents(path)) if not text.startswith("#")]
        ours = [re.sub(r"\\\n", "", text) for text in texts]
        assert [text for text in c_form(bare) if not text.startswith("#")] == ours, path


def test_scripts_of_the_tree_have_forms() -> None:
    """bash can parse each script of this tree, so that a comment in it does not count as code."""
    scripts = {name: contents(SOURCE / name) for name in tracked(SOURCE)}
    for name, text in scripts.items():
        if kind(name, text) == "shell":
            assert "printed () " in form(name, text)[:2], name


def test_a_branch(tmp_path: Path) -> None:
    """A branch that changes comments passes. A file whose code or mode changed, and a new file, are
    reported."""

    def git(*words: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", "-C", str(tmp_path), *who, *words], check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    for name, text in (("a.c", C), ("b.py", PYTHON), ("c.sh", SHELL)):
        (tmp_path / name).write_text(text)
    git("add", ".")
    git("commit", "-qm", "old")
    git("checkout", "-qb", "words")
    (tmp_path / "a.c").write_text(C.replace("Old.", "New."))
    (tmp_path / "b.py").write_text(PYTHON.replace("Old.", "New."))
    assert problems(tmp_path, "main") == (2, [])
    git("commit", "-qam", "new")
    assert problems(tmp_path, "main") == (2, [])
    (tmp_path / "b.py").write_text(PYTHON.replace("return 1", "return 2"))
    (tmp_path / "c.sh").chmod(0o755)
    (tmp_path / "d.c").write_text(C)
    assert [line.split(":")[0] for line in problems(tmp_path, "main")[1]] == ["b.py", "c.sh", "d.c"]
