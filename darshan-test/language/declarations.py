"""Finds the texts of this source tree that a person reads: commented declarations, messages and
paragraphs.

An item has a name that does not change if its text is rewritten: the file and the declaration, the
position of a message in its function, or the heading of a paragraph."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from source_text import Documented, Token, c_tokens, kind

# Functions whose string is a message to a user, in C and in Python; "raise" and fprintf(stderr)
# count as well.
C_MESSAGE = re.compile(r"(?:darshan_fail|\w*_?say|\w*_?complain|fail|warn|die|error)$")
PY_MESSAGE = re.compile(r"_?(?:say|complain|error|exit|failed|refuse|dies|warn)$")
# Words before a parenthesis that are not a function's name.
CONTROL = re.compile(r"__attribute__|__asm__|_Static_assert|_Alignas|defined")


class Item(NamedTuple):
    """Something that a reader explains: its stable name (FILE:DECLARATION for example), and the
    text that the reader sees."""

    name: str
    text: str


def numbered(items: Iterator[Item]) -> Iterator[Item]:
    """Yields the items in order; the second item with the same name gets #2 at the end of its name,
    the third #3, and so on."""
    seen: Counter[str] = Counter()
    for name, text in items:
        seen[name] += 1
        yield Item(name if seen[name] == 1 else f"{name}#{seen[name]}", text)


class Declaration(NamedTuple):
    """A declaration at the top level of a C file: its name, the comment above it ("" if none), its
    text without a function's body, and the tokens of the body."""

    name: str
    comment: str
    text: str
    body: list[Token]


def c_declarations(text: str) -> Iterator[Declaration]:
    """Yields the functions, prototypes and types at the top level of a C file, also those without a
    comment. Rows of tables and variables are left out. text: of the file."""
    comment, lines = "", 1  # line breaks since the last piece
    for what, piece in pieces([*c_tokens(text), Token("line", "\n", 0)]):
        if what == "space":
            continue
        if what == "line":
            lines += 1
            comment = comment if lines < 2 else ""
            continue
        words = "".join(token.text for token in piece)
        if what == "comment":
            comment = f"{comment}\n{words}".strip() if lines else ""
        elif what == "type":
            yield Declaration(type_name(words), comment, words, [])
        elif what == "function":
            place = next((i for i, token in enumerate(piece) if token.text == "{"), len(piece))
            head = "".join(token.text for token in piece[:place]).rstrip()
            yield Declaration(function_name(head), comment, head, piece[place:])
        comment = comment if what == "comment" else ""
        lines = 1 if what == "directive" else 0


def pieces(tokens: list[Token]) -> Iterator[tuple[str, list[Token]]]:
    """Yields the parts of a C file, each as its kind and its tokens: "comment", "space", "line" (a
    line break), "directive", "type", "function" (including prototypes) and "other"."""
    place = 0
    while place < len(tokens):
        what, end = tokens[place].kind, place + 1
        if tokens[place].text == "#":
            end = next(i for i in range(place, len(tokens)) if tokens[i].kind == "line") + 1
            what = "directive"
        elif what not in ("comment", "space", "line"):
            what, end = statement(tokens, place)
        yield what, tokens[place:end]
        place = end


def statement(tokens: list[Token], start: int) -> tuple[str, int]:
    """Returns the kind ("type", "function" or "other") of the statement that begins at token
    `start`, and the index of the token after its end."""
    depth, head, what = 0, "", ""
    for place in range(start, len(tokens)):
        word = tokens[place].text
        if word == "{" and not depth and not what:
            if re.match(r'extern\s+"C"\s*$', head):
                return "other", place + 1
            is_type = re.match(r"(?:typedef\s+)?(?:struct|union|enum)\b[^()=]*$", head)
            what = "type" if is_type else "other" if "=" in head else "function"
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(word, 0)
        if depth < 0 or (word == "}" and not depth and what == "function"):
            return what or "other", place + 1
        if word == ";" and not depth:
            return what or ("function" if "(" in head and "=" not in head else "other"), place + 1
        head += "" if what else word
    return "other", len(tokens)


def function_name(head: str) -> str:
    """Returns the name of a function: the first word before a parenthesis that is not part of an
    attribute. head: the declaration without the body."""
    names = [name for name in re.findall(r"(\w+)\s*\(", head) if not CONTROL.match(name)]
    return names[0] if names else head.split(maxsplit=1)[0]


def type_name(text: str) -> str:
    """Returns the tag of a struct, union or enum, or the name that a typedef gives it; "enum" if it
    has neither. text: the declaration."""
    tag = re.match(r"(?:typedef\s+)?\w+\s+(?:__attribute__\S+\s+)?(\w+)", text)
    last = re.findall(r"\w+", text.rsplit("}", 1)[-1])
    return tag[1] if tag else last[0] if last else "enum"


def c_items(file: str, text: str) -> Iterator[Item]:
    """Yields the comment at the head of a C file, and each declaration that has a comment, with
    it."""
    head = re.match(r"\s*((?:/\*.*?\*/|//[^\n]*\n)\s*?)(?=\n\s*\n|\n\s*#)", text, re.DOTALL)
    if head:
        yield Item(file, head[1].strip())
    for name, comment, declaration, _ in c_declarations(text):
        if comment:
            yield Item(f"{file}:{name}", f"{comment}\n{declaration}")


def c_messages(file: str, text: str) -> Iterator[Item]:
    """Yields each string in a C file that is printed for a user, named after the function that
    contains the call."""
    for name, _, _, body in c_declarations(text):
        code = [token for token in body if token.kind not in ("space", "line", "comment")]
        for place, token in enumerate(code[:-1]):
            called = token.kind == "word" and code[place + 1].text == "("
            called = called and token.text != "called_usage"  # it prints the usage text
            wanted = "stderr" in [t.text for t in code[place + 2 : place + 3]]
            if called and (C_MESSAGE.match(token.text) or wanted):
                said = "".join(first_string(code[place + 1 :]))
                if has_words(said):
                    yield Item(f"{file}:{name}", f'{token.text}("{said}")')


def has_words(said: str) -> bool:
    """Returns whether a message has at least two words besides the arguments that are inserted."""
    return len(re.findall(r"[A-Za-z]{2,}", re.sub(r"%[-\w.*]+|\{[^}]*\}|\\n", " ", said))) > 1


def first_string(code: list[Token]) -> Iterator[str]:
    """Yields the parts of the first string among the arguments of a call, because C joins adjacent
    strings. code: the tokens from the opening parenthesis on."""
    depth, found = 0, False
    for token in code:
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if token.kind == "string" and token.text.startswith('"'):
            found = True
            yield token.text[1:-1]
        elif found and token.text.startswith("PRI"):
            yield token.text[3:]  # the conversion, as in "% PRId64"
        elif found or not depth:
            return


def python_items(file: str, text: str) -> Iterator[Item]:
    """Yields the docstring of a Python file, and each class and function that has a docstring, as
    its signature and docstring."""
    lines = text.split("\n")
    for path, node in walk(ast.parse(text)):
        said = ast.get_docstring(node)
        if said and isinstance(node, ast.Module):
            yield Item(file, said)
        elif said:
            first = min([node.lineno, *(mark.lineno for mark in node.decorator_list)])
            head = "\n".join(lines[first - 1 : node.body[0].lineno - 1])
            yield Item(f"{file}:{path}", f'{head}\n    """{said}"""')


def walk(node: ast.AST, path: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Yields the module, and every class and function below a node, each with its dotted name (""
    for the module)."""
    if isinstance(node, Documented):
        yield path, node
    for child in ast.iter_child_nodes(node):
        name = getattr(child, "name", "") if isinstance(child, Documented) else ""
        yield from walk(child, f"{path}.{name}".strip(".") if name else path)


def python_messages(file: str, text: str) -> Iterator[Item]:
    """Yields the strings of raised errors in a Python file, and of calls that print something for a
    user, named after the function that contains them."""
    for path, node in walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef)):
            continue
        calls = [call for call in ast.walk(node) if isinstance(call, ast.Call)]
        raised = [r.exc for r in ast.walk(node) if isinstance(r, ast.Raise)]
        for call in calls:
            name = ast.unparse(call.func).rsplit(".", 1)[-1]
            strings = [a for a in call.args if isinstance(a, (ast.JoinedStr, ast.Constant))]
            said = ast.unparse(strings[0]) if strings else ""
            if (PY_MESSAGE.match(name) or call in raised) and has_words(said):
                yield Item(f"{file}:{path}", f"{name}({said})")


def paragraphs(file: str, text: str) -> Iterator[Item]:
    """Yields the paragraphs and bullets of a Markdown page that have over 12 words, named after
    their heading. Code, tables and HTML are left out."""
    heading = ""
    bare = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    for block in map(str.strip, re.split(r"\n\s*\n|\n(?=[*-] )", bare)):
        words = block
        if block.startswith("#"):
            heading, _, words = block.lstrip("# ").partition("\n")
        if len(words.split()) > 12 and not words.startswith(("|", "<")):
            yield Item(f"{file}:{heading}", words)


def items(file: str, text: str) -> dict[str, list[Item]]:
    """Returns the items of a file by kind: "declaration", "message" and "paragraph". text: its
    content."""
    what = kind(file, text)
    if what == "md":
        return {"paragraph": list(numbered(paragraphs(file, text)))}
    if what == "c" and file.endswith((".c", ".h")):
        said = {"declaration": c_items(file, text), "message": c_messages(file, text)}
    elif what == "python":
        said = {"declaration": python_items(file, text), "message": python_messages(file, text)}
    else:
        return {}
    return {name: list(numbered(found)) for name, found in said.items()}
