"""Error handling of the commands of lakes: one line per error."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from ..commit.storage import LakeError
from .messages import say, why


def told(program: str, work: Callable[[], int], failed: int = 1) -> int:
    """Runs the work of a command and returns its exit status. If it raises OSError, except
    BrokenPipeError, LakeError or ArrowInvalid, prints one line and returns `failed`."""
    try:
        return work()
    except BrokenPipeError:
        raise
    except OSError as error:
        say(program, why(error))
    except (LakeError, pa.ArrowInvalid) as error:
        say(program, str(error).split("\n")[0])
    return failed
