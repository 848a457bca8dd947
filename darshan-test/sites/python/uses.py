"""Uses of the probe library that need ctypes: uses.py PROBE_LIBRARY USE [ARGUMENT]."""

from __future__ import annotations

import ctypes
import linecache
import os
import sys
import threading
import time
import traceback

FIRST = 1000000  # of probe.c
probe = ctypes.CDLL(sys.argv[1])
probe.probe_walks.argtypes = (ctypes.c_long, ctypes.c_size_t)
probe.probe_walks.restype = ctypes.c_size_t
probe.probe_descriptions.argtypes = (ctypes.c_long,)
probe.probe_descriptions.restype = ctypes.c_size_t


def deep(levels, function, *arguments):
    """Calls function(*arguments) below `levels` frames of Python, including this one; returns its
    result."""
    if levels == 1:
        return function(*arguments)
    return deep(levels - 1, function, *arguments)


def damage(seeds):
    """Walks frames with `seeds` damaged descriptions of Python's data structures. Prints for how
    many the runtime was unsure, trusted the description, and refused it."""
    states = [0, 0, 0, 0, 0]
    for seed in range(int(seeds)):
        states[deep(1 + seed % 9, probe.probe_damaged, seed)] += 1
    print(states[1], states[2], states[4])


def daemons(_):
    """Starts threads whose stacks are walked without the GIL, while the interpreter ends and frees
    their states."""
    for _ in range(4):
        walks = threading.Thread(target=deep, args=(20, probe.probe_walks, 1 << 60, 64))
        walks.daemon = True
        walks.start()
    time.sleep(0.02)


def count(words):
    """Walks the stack, and prints how many frames a walk found. words: "TIMES,FRAMES"."""
    times, frames = map(int, words.split(","))
    got = deep(frames - 2, probe.probe_walks, times, 64)
    print(got // max(times, 1))


def describe(times):
    print(deep(8, probe.probe_descriptions, int(times)))


def imports(folder):
    """Imports a module that imports another one, and reads sources, within the import and after it;
    Python calls lseek in each file that it reads."""
    sys.path.insert(0, folder)
    import outer  # noqa: F401

    linecache.clearcache()
    traceback.extract_stack()
    with open(os.path.join(folder, "inspect", "linecache.py")) as file:
        exec(compile(file.read(), file.name, "exec"))


def sub(_):
    """Runs a text in a sub-interpreter, from two frames of the main one."""
    try:
        import _interpreters as interpreters
    except ImportError:
        import _xxsubinterpreters as interpreters
    text = f"import os\n\n\ndef f():\n  os.lseek({FIRST}, 0, 0)\n\n\nf()\n"
    made = interpreters.create()
    interpreters.run_string(made, text)
    os.lseek(FIRST + 1, 0, 0)
    interpreters.destroy(made)


globals()[sys.argv[2]](sys.argv[3] if len(sys.argv) > 3 else "")
