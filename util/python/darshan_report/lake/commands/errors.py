"""What went wrong with a lake, in one line."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from ..commit.place import LakeError
from .say import say, why


def told(program: str, work: Callable[[], int]) -> int:
    """The exit status of what a command does; a closed output is left to who called it."""
    try:
        return work()
    except BrokenPipeError:
        raise
    except OSError as error:
        say(program, why(error))
    except (LakeError, pa.ArrowInvalid) as error:
        say(program, str(error).split("\n")[0])
    return 1
