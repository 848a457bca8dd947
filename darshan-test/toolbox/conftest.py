"""Fixture of the tools' tests: makes the Python package of this build importable, by which the
tests read logs."""

from __future__ import annotations

from tree import use_binding

use_binding()
