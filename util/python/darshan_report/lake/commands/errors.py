"""Error handling of the commands of lakes: one line per error."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from ..commit.storage import LakeError
from .messages import say, why


def told(program: str, work: Callable[[], int], failed: int = 1) -> int:
    """Returns the exit status of a command: the result of its work, or `failed` after an error,
    which it prints. Does not handle BrokenPipeError."""
    try:
        return work()
    except BrokenPipeError:
        raise
    except OSError as error:
        say(program, why(error))
    except (LakeError, pa.ArrowInvalid) as error:
        say(program, str(error).split("\n")[0])
    return failed
