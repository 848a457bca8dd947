"""Lets the tests of the tools read logs with this build's library."""

from __future__ import annotations

from tree import use_binding

use_binding()
