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
        if name.startswith("_"):
            raise AttributeError(name)
        return Prefix(os.path.join(self, name))


class Spec:
    """A concrete spec: values of all variants, and prefixes of dependencies."""

    def __init__(self, variants: dict[str, Any], version: str, commands: dict[str, str]) -> None:
        self.variants = {k: SimpleNamespace(value=v) for k, v in variants.items()}
        self.version = version
        self.commands = commands

    def satisfies(self, condition: str) -> bool:
        if condition.startswith("@"):
            return self.version == condition[1:]
        sign, name = condition[0], condition[1:]
        assert sign in "+~", condition
        return name in self.variants and self.variants[name].value is (sign == "+")

    def __getitem__(self, name: str) -> SimpleNamespace:
        return SimpleNamespace(command=SimpleNamespace(path=self.commands[name]))


class AutotoolsPackage:
    """The base class of a recipe: runs the phases of a build by Autotools."""

    phases = ("autoreconf", "configure", "build", "install")

    def __init__(self, spec: Spec, prefix: str, stage: Path, env: dict[str, str]) -> None:
        self.spec, self.prefix, self.stage, self.env = spec, Prefix(prefix), stage, env

    def _run(self, *command: str) -> None:
        log = self.stage / "spack-build-out.txt"
        with open(log, "a", encoding="utf-8") as file:
            done = subprocess.run(
                command, cwd=self.stage, env=self.env, stdout=file, stderr=file, check=False
            )
        assert done.returncode == 0, f"{command}\n{log.read_text()[-2000:]}"

    def configure_args(self) -> list[str]:
        return []

    def enable_or_disable(self, name: str, *, variant: str) -> list[str]:
        word = "enable" if self.spec.variants[variant].value else "disable"
        return [f"--{word}-{name}"]

    def autoreconf(self) -> None:
        if not (self.stage / "configure").exists():
            self._run("autoreconf", "-fiv")

    def configure(self) -> None:
        self._run("./configure", f"--prefix={self.prefix}", *self.configure_args())

    def build(self) -> None:
        self._run("make", f"-j{os.environ.get('JOBS', '2')}", "V=1")

    def install(self) -> None:
        self._run("make", "-j1", "install")
