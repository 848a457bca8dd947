"""A stand-in for spack.package, from which Spack's recipes import: it stores the directives, and
its functions behave like Spack's.

It has only the names that Darshan's recipe uses, so that a wrong name fails as in Spack; a recipe
gets no other names by `import *`."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import SkipTest

__all__ = [
    "EnvironmentModifications", "SkipTest", "conflicts", "depends_on", "extends", "join_path",
    "license", "maintainers", "variant", "version", "when", "which", "working_dir",
]  # fmt: skip


@dataclass
class Said:
    """The directives of the recipe that is being read, by kind."""

    versions: dict[str, dict[str, Any]] = field(default_factory=dict)
    variants: dict[str, dict[str, Any]] = field(default_factory=dict)
    dependencies: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    licenses: list[str] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)

    def with_conditions(self, options: dict[str, Any]) -> dict[str, Any]:
        """Returns the options of a directive with "when" as a list: its own condition and those of
        the enclosing blocks, which must all be true."""
        conditions = [*self.conditions, *([options["when"]] if "when" in options else [])]
        return {**options, "when": conditions}


# The directives of the current recipe.
said = Said()


def version(name: str, *, branch: str = "", sha256: str = "") -> None:
    """Stores a version."""
    said.versions[name] = {"branch": branch, "sha256": sha256}


def variant(
    name: str,
    *,
    default: bool | str,
    description: str,
    values: tuple[str, ...] | Callable[[str], bool] | None = None,
    multi: bool = False,
    when: str = "",
) -> None:
    """Stores a variant, with its conditions."""
    assert description and "-" not in name and not multi
    options: dict[str, Any] = {"when": when} if when else {}
    said.variants[name] = {
        **said.with_conditions(options), "default": default, "values": values,
    }  # fmt: skip


def depends_on(
    spec: str, *, type: str | tuple[str, ...] = ("build", "link"), when: str = ""
) -> None:
    """Stores a dependency, with its types and conditions."""
    types = (type,) if isinstance(type, str) else type
    assert set(types) <= {"build", "link", "run", "test"}
    options = {"when": when} if when else {}
    said.dependencies.append((spec, {**said.with_conditions(options), "type": types}))


def extends(spec: str) -> None:
    """Stores the package that this one extends, as a dependency."""
    depends_on(spec, type=("build", "run"))


def conflicts(spec: str, *, msg: str = "") -> None:
    """Stores a conflict."""
    said.conflicts.append(spec)


def license(identifier: str) -> None:
    """Stores a licence."""
    said.licenses.append(identifier)


def maintainers(*names: str) -> None:
    """Checks that maintainers are names and not addresses."""
    assert all("@" not in name for name in names)


@contextlib.contextmanager
def when(condition: str) -> Iterator[None]:
    """Adds a condition to all directives of the block."""
    said.conditions.append(condition)
    yield
    said.conditions.pop()


class EnvironmentModifications:
    """The changes of environment variables that loading a package makes."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, str, str]] = []

    def append_path(self, name: str, path: str) -> None:
        """Stores that a path is appended to a variable."""
        self.steps.append(("append", name, path))

    def prepend_path(self, name: str, path: str) -> None:
        """Stores that a path is put in front of a variable."""
        self.steps.append(("prepend", name, path))

    def apply(self, env: dict[str, str]) -> None:
        """Makes the stored changes in `env`."""
        for step, name, path in self.steps:
            before = [env[name]] if env.get(name) else []
            parts = [*before, path] if step == "append" else [path, *before]
            env[name] = ":".join(parts)


def join_path(first: str, *more: str) -> str:
    """Returns the joined path."""
    return os.path.join(first, *more)


class Executable:
    """A program that can be called. An exit status other than 0 raises an error."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __call__(self, *args: str, output: type[str] | None = None) -> str:
        """Runs the program. output: str to return its output; None to return ""."""
        assert all(isinstance(arg, str) for arg in args)
        stdout = subprocess.PIPE if output is str else None
        done = subprocess.run([self.path, *args], stdout=stdout, text=True, check=True)
        return done.stdout or ""


def which(name: str, *, required: bool = False) -> Executable:
    """Returns a program of PATH. required: whether it must exist."""
    found = shutil.which(name)
    assert found or not required, f"{name} is not there"
    return Executable(found or name)


@contextlib.contextmanager
def working_dir(name: str, *, create: bool = False) -> Iterator[None]:
    """Changes the current folder for a block. create: whether to create the folder."""
    if create:
        Path(name).mkdir(parents=True, exist_ok=True)
    before = os.getcwd()
    os.chdir(name)
    try:
        yield
    finally:
        os.chdir(before)
