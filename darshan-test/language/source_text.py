"""Splits source files into tokens and comments, for the checks of the tree's language.

C, its tables (.def) and preprocessed assembly (.S) share one lexer.  Python's comments come
from tokenize, its docstrings from ast.  In shell scripts and JavaScript only comments on lines
of their own are read.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

# Endings of files in C, its tables and assembly.
C_ENDINGS = (".c", ".h", ".def", ".S", ".cc", ".cpp")
# Nodes of a Python syntax tree that may have a docstring.
Documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
# A token of C; the name of its group is the kind.
TOKEN = re.compile(
    r"""(?P<comment>/\*.*?\*/|//(?:\\\n|[^\n])*)
      |(?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"|[uUL]?'(?:\\.|[^'\\\n])*')
      |(?P<space>(?:[ \t\r\f\v]|\\\n)+)
      |(?P<line>\n)
      |(?P<word>\.?\d(?:[eEpP][+-]|[\w.])*|\w+)
      |(?P<mark>\.\.\.|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\#\#|.)""",
    re.DOTALL | re.VERBOSE,
)


class Token(NamedTuple):
    """A token of C: its kind (the name of a group of TOKEN, or "directive"), its text, and the line
    at which it begins."""

    kind: str
    text: str
    line: int


class Comment(NamedTuple):
    """A comment or docstring: its text without delimiters, and the line at which it begins."""

    text: str
    line: int


def c_tokens(text: str) -> Iterator[Token]:
    """Yields each token of a C file, also comments and white space."""
    line = 1
    for match in TOKEN.finditer(text):
        yield Token(match.lastgroup or "", match[0], line)
        line += match[0].count("\n")


def c_code(text: str) -> list[Token]:
    """Returns the tokens that the compiler sees. A preprocessor directive is one token.

    Inside a directive a sequence of white space becomes one blank, because "#define F (x)" and
    "#define F(x)" differ."""
    code: list[Token] = []
    directive: list[Token] = []
    for token in [*c_tokens(text), Token("line", "\n", 0)]:
        blank = token.kind in ("comment", "space")
        if directive and token.kind == "line":
            words = "".join(" " if t.kind == "space" else t.text for t in directive)
            code.append(Token("directive", re.sub(" +", " ", words).strip(), directive[0].line))
            directive = []
        elif directive:
            directive.append(Token("space", " ", token.line) if blank else token)
        elif token.text == "#" and (not code or code[-1].kind in ("line", "directive")):
            directive = [token]
        elif not blank:
            code.append(token)
    return [token for token in code if token.kind != "line"]


def c_words(comment: str) -> str:
    """Returns the words of a C comment without its delimiters and its margin of asterisks, line by
    line."""
    inner = comment[2:-2] if comment.startswith("/*") else comment[2:]
    return "\n".join(re.sub(r"^[\s*/]+", "", line).strip() for line in inner.split("\n")).strip()


def c_comments(text: str) -> list[Comment]:
    """Returns the comments of a C file. Adjacent lines of // are one comment."""
    found: list[Comment] = []
    last = -1
    for token in c_tokens(text):
        if token.kind != "comment":
            continue
        words = c_words(token.text)
        if token.text.startswith("//") and token.line == last + 1:
            found[-1] = Comment(f"{found[-1].text}\n{words}", found[-1].line)
        else:
            found.append(Comment(words, token.line))
        last = token.line if token.text.startswith("//") else -1
    return found


def hash_comments(lines: list[tuple[int, str]]) -> list[Comment]:
    """Returns comments from pairs of line number and text; texts on adjacent lines become one
    comment. The marks at the beginning (#, /, !) are removed."""
    found: list[Comment] = []
    last = -1
    for number, text in lines:
        words = text.lstrip("#!:/ ").rstrip()
        if number == last + 1:
            found[-1] = Comment(f"{found[-1].text}\n{words}", found[-1].line)
        else:
            found.append(Comment(words, number))
        last = number
    return found


def line_comments(text: str, mark: str) -> list[Comment]:
    """Returns the comments that fill whole lines. mark: the regular expression with which such a
    line begins."""
    lines = enumerate(text.split("\n"), 1)
    return hash_comments([(number, line.strip()) for number, line in lines if re.match(mark, line)])


def python_comments(text: str) -> list[Comment]:
    """Returns the comments and docstrings of a Python file, sorted by line; marks for tools, such
    as noqa, are left out."""
    marks = [
        (token.start[0], token.string)
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT
        and not re.match(r"#(!|\s*(noqa|type:|ruff:))", token.string)
    ]
    documented = [node for node in ast.walk(ast.parse(text)) if isinstance(node, Documented)]
    docs = [
        Comment(ast.get_docstring(node) or "", node.body[0].lineno)
        for node in documented
        if ast.get_docstring(node)
    ]
    return sorted(hash_comments(marks) + docs, key=lambda comment: comment.line)


def kind(name: str, text: str) -> str:
    """Returns the language of a file: "c", "python" or "shell", otherwise the ending of its name.
    text: its content, whose first line may name an interpreter."""
    first = text.split("\n", 1)[0] if text.startswith("#!") else ""
    if name.endswith(C_ENDINGS):
        return "c"
    if name.endswith((".py", ".py.in")) or "python" in first:
        return "python"
    if name.endswith(".sh") or re.search(r"\b(ba|da)?sh\b", first):
        return "shell"
    return Path(name).suffix.lstrip(".")


def comments(name: str, text: str) -> list[Comment]:
    """Returns the comments of a C, Python, shell or JavaScript file; [] for another file. name: of
    the file."""
    what = kind(name, text)
    if what == "c":
        return c_comments(text)
    if what == "python":
        return python_comments(text)
    if what == "shell":
        return line_comments(text, r"\s*#(?!!)")
    if what == "js":
        return line_comments(text, r"\s*//")
    return []


def tracked(tree: Path, *patterns: str) -> list[str]:
    """Returns the sorted paths of the files that git tracks in a tree, relative to it. patterns:
    only files that match one of them, if there are any."""
    command = ["git", "-C", str(tree), "ls-files", "-z", "--", *patterns]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return sorted(name for name in names.split("\0") if name and (tree / name).is_file())


def contents(path: Path) -> str:
    """Returns the text of a file; "" if it is not UTF-8."""
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        return ""
