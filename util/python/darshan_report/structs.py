"""The C structures of darshan-read.h and describe.h for ctypes. A test compiles a C program with
these headers and compares every size and offset."""

from __future__ import annotations

import ctypes
import enum


class Kind(enum.IntEnum):
    """The layout of a module's records: enum darshan_kind."""

    NONE = 0
    COUNTERS = 1
    FILE_COUNTERS = 2
    LUSTRE = 3
    DXT = 4
    MDHIM = 5
    HEATMAP = 6
    DFS = 7
    DAOS = 8
    APMPI = 9


class Error(ctypes.Structure):
    """C: struct darshan_error. A message, empty without an error."""

    _fields_ = (("text", ctypes.c_char * 256),)


class ModuleRegion(ctypes.Structure):
    """C: struct darshan_module_region. A module's region of a log."""

    _fields_ = (
        ("id", ctypes.c_int),
        ("name", ctypes.c_char_p),
        ("length", ctypes.c_uint64),
        ("version", ctypes.c_int),
        ("partial", ctypes.c_int),
    )


class Mount(ctypes.Structure):
    """C: struct darshan_mount. A mounted file system."""

    _fields_ = (("path", ctypes.c_char_p), ("type", ctypes.c_char_p))


class Metadata(ctypes.Structure):
    """C: struct darshan_metadata. A key=value line of the job record."""

    _fields_ = (("key", ctypes.c_char_p), ("value", ctypes.c_char_p))


class Job(ctypes.Structure):
    """C: struct darshan_job. The job record."""

    _fields_ = (
        ("uid", ctypes.c_int64),
        ("start_time_sec", ctypes.c_int64),
        ("start_time_nsec", ctypes.c_int64),
        ("end_time_sec", ctypes.c_int64),
        ("end_time_nsec", ctypes.c_int64),
        ("nprocs", ctypes.c_int64),
        ("jobid", ctypes.c_int64),
        ("metadata", ctypes.c_char * 1024),
    )


class Info(ctypes.Structure):
    """C: struct darshan_info. Everything in a log except its records."""

    _fields_ = (
        ("version", ctypes.c_char * 9),
        ("compression", ctypes.c_int),
        ("swapped", ctypes.c_int),
        ("partial_flag", ctypes.c_uint64),
        ("job_length", ctypes.c_uint64),
        ("name_length", ctypes.c_uint64),
        ("job", Job),
        ("run_time", ctypes.c_double),
        ("exe", ctypes.c_char_p),
        ("num_metadata", ctypes.c_int),
        ("metadata", ctypes.POINTER(Metadata)),
        ("num_mounts", ctypes.c_int),
        ("mounts", ctypes.POINTER(Mount)),
        ("num_modules", ctypes.c_int),
        ("modules", ctypes.POINTER(ModuleRegion)),
        ("annex_problem", ctypes.c_char_p),
    )


class Counter(ctypes.Structure):
    """C: struct darshan_counter. A counter of a module."""

    _fields_ = (
        ("name", ctypes.c_char * 48),
        ("rule", ctypes.c_int),
        ("unit", ctypes.c_int),
        ("index", ctypes.c_int),
        ("since", ctypes.c_int),
        ("last", ctypes.c_int),
        ("absent", ctypes.c_int),
    )


class Module(ctypes.Structure):
    """C: struct darshan_module. A module and its counters."""

    _fields_ = (
        ("id", ctypes.c_int),
        ("name", ctypes.c_char_p),
        ("version", ctypes.c_int),
        ("kind", ctypes.c_int),
        ("record_size", ctypes.c_size_t),
        ("num_counters", ctypes.c_int),
        ("num_fcounters", ctypes.c_int),
        ("counters", ctypes.POINTER(Counter)),
        ("fcounters", ctypes.POINTER(Counter)),
        ("meanings", ctypes.c_void_p),
        ("fmeanings", ctypes.c_void_p),
    )


class Column(ctypes.Structure):
    """C: struct darshan_column. A column of a table."""

    _fields_ = (("name", ctypes.c_char_p), ("type", ctypes.c_int), ("values", ctypes.c_void_p))


class Table(ctypes.Structure):
    """C: struct darshan_table. A table of columns."""

    _fields_ = (
        ("kind", ctypes.c_int),
        ("module", ctypes.c_int),
        ("num_columns", ctypes.c_int),
        ("columns", ctypes.POINTER(Column)),
        ("rows", ctypes.c_int64),
    )


class Texts(ctypes.Structure):
    """C: struct darshan_texts. Strings, joined to one block of bytes with offsets."""

    _fields_ = (
        ("count", ctypes.c_int64),
        ("bytes", ctypes.c_void_p),
        ("offsets", ctypes.c_void_p),
    )
