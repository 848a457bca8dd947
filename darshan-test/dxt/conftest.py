"""Lets the tests of DXT read logs with this build's C library."""

from __future__ import annotations

from tree import use_binding

use_binding()
