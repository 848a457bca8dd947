"""The lake package of this build in this process."""

from __future__ import annotations

from tree import use_binding

use_binding()
