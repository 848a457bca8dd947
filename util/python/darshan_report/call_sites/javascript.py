"""Files of JavaScript and TypeScript, and the modules of Node.js itself."""

from __future__ import annotations

import re

_NODE = "node:"  # before the name of a module of node itself
_SOURCE = re.compile(r".+\.[cm]?[jt]sx?")
_PACKAGES = "/node_modules/"


def is_source(path: str) -> bool:
    """Returns whether the path in a frame is that of a JavaScript or TypeScript source."""
    return path.startswith(_NODE) or bool(_SOURCE.fullmatch(path))


def is_node(path: str) -> bool:
    """Returns whether the file of a frame belongs to Node.js itself."""
    return path.startswith(_NODE)


def is_library(path: str) -> bool:
    """Returns whether a source file belongs to Node.js or to an installed package."""
    return is_node(path) or _PACKAGES in path


def called(path: str, function: str) -> str:
    """Returns a function as programs call it: "fs.writeSync", "sharp.toFile". path: a file of
    Node.js or of an installed package (is_library)."""
    if is_node(path):
        module = path[len(_NODE) :].rsplit("/", 1)[-1]
    else:
        name, *rest = path.rsplit(_PACKAGES, 1)[-1].split("/")
        module = f"{name}/{rest[0]}" if name.startswith("@") and rest else name
    return f"{module}.{function}"
