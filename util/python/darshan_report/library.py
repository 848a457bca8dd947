"""Finds and loads libdarshan-read, and declares its functions."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Iterator

from . import structs

NAME = "libdarshan-read.so.0"
VARIABLE = "DARSHAN_READ_LIB"

NAME_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_char_p, ctypes.c_void_p)

_ERROR = ctypes.POINTER(structs.Error)
_LOG = ctypes.c_void_p
_RECORDS = ctypes.c_void_p
_BATCH = ctypes.c_void_p

_FUNCTIONS = {
    "darshan_log_read": (_LOG, [ctypes.c_char_p, _ERROR]),
    "darshan_log_free": (None, [_LOG]),
    "darshan_log_info": (ctypes.POINTER(structs.Info), [_LOG]),
    "darshan_log_name": (ctypes.c_char_p, [_LOG, ctypes.c_uint64]),
    "darshan_log_each_name": (None, [_LOG, NAME_CALLBACK, ctypes.c_void_p]),
    "darshan_log_mount": (ctypes.c_int, [_LOG, ctypes.c_char_p]),
    "darshan_records_open": (_RECORDS, [_LOG, ctypes.c_int, _ERROR]),
    "darshan_records_next": (
        ctypes.c_int,
        [_RECORDS, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t), _ERROR],
    ),
    "darshan_records_close": (None, [_RECORDS]),
    "darshan_log_load": (
        ctypes.c_long,
        [_LOG, ctypes.c_int, ctypes.POINTER(ctypes.c_void_p), _ERROR],
    ),
    "darshan_block_free": (None, [ctypes.c_void_p]),
    "darshan_log_work": (
        ctypes.c_int,
        [_LOG, ctypes.c_double, ctypes.POINTER(ctypes.c_double), _ERROR],
    ),
    "darshan_apmpi_call": (ctypes.c_char_p, [ctypes.c_int, ctypes.POINTER(ctypes.c_int)]),
    "darshan_id_of_name": (ctypes.c_uint64, [ctypes.c_char_p, ctypes.c_size_t]),
    "darshan_module_by_id": (ctypes.POINTER(structs.Module), [ctypes.c_int]),
    "darshan_module_by_name": (ctypes.POINTER(structs.Module), [ctypes.c_char_p]),
    "darshan_rule_name": (ctypes.c_char_p, [ctypes.c_int]),
    "darshan_unit_name": (ctypes.c_char_p, [ctypes.c_int]),
    "darshan_batch_new": (_BATCH, [ctypes.c_uint64, ctypes.c_int, _ERROR]),
    "darshan_batch_free": (None, [_BATCH]),
    "darshan_batch_read": (
        ctypes.c_int64,
        [_BATCH, ctypes.POINTER(ctypes.c_char_p), ctypes.c_int64, _ERROR],
    ),
    "darshan_batch_num_tables": (ctypes.c_int, [_BATCH]),
    "darshan_batch_table": (ctypes.POINTER(structs.Table), [_BATCH, ctypes.c_int]),
    "darshan_batch_texts": (ctypes.POINTER(structs.Texts), [_BATCH]),
    "darshan_batch_clear": (None, [_BATCH]),
}


class LibraryMissing(RuntimeError):
    """libdarshan-read could not be found or loaded."""


class LogError(RuntimeError):
    """A log could not be read. The message is one line."""


def _candidates() -> Iterator[str]:
    """Yields one path: that in the environment variable, if it is set; else that of the
    installation (for a distribution's package only the name, which the dynamic linker looks up);
    else, if the package is not installed, that in the build folder."""
    named = os.environ.get(VARIABLE)
    if named:
        yield named
        return
    package = os.path.dirname(os.path.abspath(__file__))
    try:  # written by `make install`
        from ._installed import LIBRARY_FOLDER  # type: ignore[import-not-found]  # noqa: PLC0415

        # None: this package is from a distribution, and the dynamic linker finds the library.
        yield os.path.join(package, LIBRARY_FOLDER, NAME) if LIBRARY_FOLDER is not None else NAME
    except ImportError:  # the build folder contains a link to this package, in python/
        yield os.path.join(package, os.pardir, os.pardir, NAME)


@functools.cache
def load() -> ctypes.CDLL:
    """Loads libdarshan-read and returns it, with the argument and result types of its functions
    declared.

    Raises LibraryMissing, which names the paths that were tried."""
    tried = []
    for path in map(os.path.normpath, _candidates()):
        tried.append(path)
        if os.path.dirname(path) and not os.path.exists(path):
            continue
        try:
            library = ctypes.CDLL(path)
        except OSError as error:
            raise LibraryMissing(f"cannot load {path}: {error}") from error
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(library, name)
            function.restype = result
            function.argtypes = arguments
        return library
    raise LibraryMissing(f"{NAME} is not at {' or '.join(tried)}; set {VARIABLE} to its path")


def text(value: bytes | None) -> str:
    """Returns bytes of a log as text, "" for None; bytes that are not UTF-8 become surrogates."""
    return (value or b"").decode("utf-8", "surrogateescape")


def raw(value: str) -> bytes:
    """Returns the bytes from which text() made this string."""
    return value.encode("utf-8", "surrogateescape")


def message(error: structs.Error) -> str:
    """Returns the message in an error structure that the library filled; bytes that are not UTF-8
    become backslash escapes."""
    return error.text.decode("utf-8", "backslashreplace") or "unknown error"
