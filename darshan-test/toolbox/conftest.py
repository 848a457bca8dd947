"""Fixture of the tools' tests: the path to this build's binding, which the tests use to read
logs."""

from __future__ import annotations

from tree import use_binding

use_binding()
