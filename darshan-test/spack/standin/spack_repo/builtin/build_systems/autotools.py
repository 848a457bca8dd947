"""A stand-in for Spack's AutotoolsPackage, with the same phases in the same order, which run the
same commands."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any


class Prefix(str):
    """A path whose attributes are paths below it, such as prefix.bin.name."""

    def __getattr__(self, name: str) -> Prefix:
        """Returns the path of a name below this path."""
        if name.startswith("_"):
            raise AttributeError(name)
        return Prefix(os.path.join(self, name))


class Spec:
    """A concrete spec: the values of all variants, and the commands of dependencies."""

    def __init__(self, variants: dict[str, Any], version: str, commands: dict[str, str]) -> None:
        self.variants = {k: SimpleNamespace(value=v) for k, v in variants.items()}
        self.version = version
        self.commands = commands

    def satisfies(self, condition: str) -> bool:
        """Returns whether a condition is true: "@VERSION", "+VARIANT" or "~VARIANT"."""
        if condition.startswith("@"):
            return self.version == condition[1:]
        sign, name = condition[0], condition[1:]
        assert sign in "+~", condition
        return name in self.variants and self.variants[name].value is (sign == "+")

    def __getitem__(self, name: str) -> SimpleNamespace:
        """Returns a dependency, which has only its command."""
        return SimpleNamespace(command=SimpleNamespace(path=self.commands[name]))


class AutotoolsPackage:
    """The base class of a recipe: runs the phases of a build by Autotools."""

    phases = ("autoreconf", "configure", "build", "install")

    def __init__(self, spec: Spec, prefix: str, stage: Path, env: dict[str, str]) -> None:
        self.spec, self.prefix, self.stage, self.env = spec, Prefix(prefix), stage, env

    def _run(self, *command: str) -> None:
        """Runs a command in the source's folder, which must succeed. Its output goes to Spack's log
        file."""
        log = self.stage / "spack-build-out.txt"
        with open(log, "a", encoding="utf-8") as file:
            done = subprocess.run(
                command, cwd=self.stage, env=self.env, stdout=file, stderr=file, check=False
            )
        assert done.returncode == 0, f"{command}\n{log.read_text()[-2000:]}"

    def configure_args(self) -> list[str]:
        """Returns further arguments of configure; a recipe overrides this."""
        return []

    def enable_or_disable(self, name: str, *, variant: str) -> list[str]:
        """Returns the argument of configure for a variant."""
        word = "enable" if self.spec.variants[variant].value else "disable"
        return [f"--{word}-{name}"]

    def autoreconf(self) -> None:
        """Makes configure if it does not exist."""
        if not (self.stage / "configure").exists():
            self._run("autoreconf", "-fiv")

    def configure(self) -> None:
        """Runs configure."""
        self._run("./configure", f"--prefix={self.prefix}", *self.configure_args())

    def build(self) -> None:
        """Compiles."""
        self._run("make", f"-j{os.environ.get('JOBS', '2')}", "V=1")

    def install(self) -> None:
        """Installs."""
        self._run("make", "-j1", "install")
