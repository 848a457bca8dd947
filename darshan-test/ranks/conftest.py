"""Sets the path to this build's binding, which the tests use to read logs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

# Set before the tests are imported: `import darshan_report` must find this build's package.
_BUILD = os.environ.get("DARSHAN_BUILD")
if not _BUILD:
    raise RuntimeError("DARSHAN_BUILD does not name the build folder")
sys.path.insert(0, str(Path(_BUILD).resolve() / "python"))
os.environ["DARSHAN_READ_LIB"] = str(Path(_BUILD).resolve() / "libdarshan-read.so.0")
