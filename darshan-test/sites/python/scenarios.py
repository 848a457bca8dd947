"""Makes probes (probe.c) from code of many kinds, and writes the frames that Python itself reports
at each.

    scenarios.py TRUTH

Runs in every Python from 3.8 on. Each call of here() makes a probe at one line; a line of JSON for
each call is written to TRUTH: its number and the frames, innermost first, as [file, function,
line]. The function has its qualified name from 3.11 on."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import importlib
import json
import os
import sys
import tempfile
import threading
from pathlib import Path

FIRST = 1000000  # of probe.c
truths = open(sys.argv[1], "w", encoding="utf-8")  # noqa: SIM115
numbers = iter(range(FIRST))
lock = threading.Lock()


def shown(text):
    """Returns the text as python_describe writes it: unprintable characters become "?"."""
    return "".join("?" if unshowable(ord(c)) else c for c in text)


def unshowable(c):
    return c < 32 or 127 <= c < 160 or 0xD800 <= c < 0xE000


def walk(frame):
    """Returns [file, function, line] of this frame and of all frames that called it, innermost
    first."""
    found = []
    while frame is not None:
        code = frame.f_code
        name = getattr(code, "co_qualname", code.co_name)
        found.append([shown(code.co_filename), shown(name), frame.f_lineno or 0])
        frame = frame.f_back
    return found


def here(*_, **__):
    """Makes a probe, and writes the frames that Python reports. Both happen on one line. Returns
    the number of the probe."""
    with lock:
        number = next(numbers)
    frames = (os.lseek(FIRST + number, 0, 0), walk(sys._getframe()))[1]
    with lock:
        truths.write(json.dumps([number, frames]) + "\n")
    return number


# --- functions ---------------------------------------------------------------------


def deep(levels):
    return here() if levels == 0 else deep(levels - 1)


def arguments():
    return here(
        1,
        here(
            2,
        ),
        *[here() for _ in range(2)],
        **{"x": here()},
    )


def closure():
    many = [str(n) for n in range(9)]
    a, b, c, d, e = many[:5]

    def inner(x=here()):
        return a, b, c, d, e, (lambda: here(x))()

    return inner()


def decorated():
    def before(function):
        here()

        @functools.wraps(function)
        def wrapper(*args):
            return function(*args)

        return wrapper

    @before
    @functools.lru_cache(maxsize=None)
    def function(n):
        return here(n)

    return function(1)


def expressions():
    list(map(lambda n: here(n), range(2)))
    sorted([3, 1, 2], key=lambda n: here(n))
    [here() for _ in range(2) if here() >= 0]
    {here(): here() for _ in range(2)}
    max((here() for _ in range(3)), default=0)
    if here() < 0 or here() < 0:
        pass
    assert here() >= 0, here()
    return here() + here()


def statements():
    for _ in range(2):
        try:
            here()
            raise ValueError(here())
        except ValueError as error:
            here(error)
        else:
            pass
        finally:
            here()
    with contextlib.ExitStack() as stack:
        stack.callback(here)
        here()
    while here() < 0:
        pass


# --- classes -----------------------------------------------------------------------


class Meta(type):
    def __call__(cls, *args):
        here()
        return super().__call__(*args)


def classes():
    class Base:
        x = here()

        def __init__(self):
            self.y = here()

        def __getattr__(self, name):
            return here(name)

        def __add__(self, other):
            return here(other)

        def __del__(self):
            here()

        def __iter__(self):
            here()
            return iter([1])

        @property
        def p(self):
            return here()

        @classmethod
        def c(cls):
            return here()

    class Derived(Base, metaclass=Meta):
        def __init__(self):
            super().__init__()
            here()

    for _ in range(30):  # long enough for the interpreter to specialize
        one = Base()
    Derived()
    one.missing
    one + 1
    one.p
    one.c()
    [x for x in one]
    del one


# --- generators and coroutines -----------------------------------------------------


def generators():
    def counting(n):
        here()
        for i in range(n):
            yield i
            here()
        yield from ending()

    def ending():
        yield here()

    for _ in counting(3):
        here()
    running = counting(2)
    next(running)
    threading.Thread(target=lambda: next(running)).start()
    closing = counting(5)
    next(closing)
    closing.close()


async def leaf(n):
    here()
    await asyncio.sleep(0)
    return here() + n


async def items():
    for i in range(2):
        here()
        yield i
        await asyncio.sleep(0)


class Held:
    async def __aenter__(self):
        here()

    async def __aexit__(self, *_):
        here()


async def tasks():
    await asyncio.gather(*[leaf(n) for n in range(3)])
    async for _ in items():
        here()
    async with Held():
        here()
    await asyncio.get_event_loop().run_in_executor(None, here)
    return [here() async for _ in items()]


# --- code from elsewhere -----------------------------------------------------------


def texts():
    exec("here()\n\n\nhere()", globals())
    exec(compile("def f():\n\n  here()\nf()", "<made>", "exec"), globals())
    eval("here()", globals())
    eval(compile("(lambda:\n here())()", "a\tname\nof\x7f lines", "eval"), globals())
    for name in ("Grüße.py", "日本.py", "🐍" * 20 + ".py", "\udcff\udc80.py", "ÿ" * 300, "a" * 400):
        exec(compile("\n\ndef ǆ_函数_𝔣(): here()\nǆ_函数_𝔣()", name, "exec"), globals())
    far = "\n" * 100000 + "here()\n" + "x = 1\n" * 5000 + "here(\n" + "\n" * 300 + "here())\n"
    exec(compile(far, "far.py", "exec"), globals())
    wide = "\n".join(["def f(x):"] + [f" x{n} = x + {n}; x += x{n}" for n in range(700)])
    exec(compile(wide + "\n here()\nf(1)", "wide.py", "exec"), globals())


def files(folder):
    sys.path.insert(0, folder)
    for name in ("ordinary", "grüße", "пакет"):
        text = "import __main__\n__main__.here()\n\n\ndef f():\n    return __main__.here()\n"
        Path(folder, name + ".py").write_text(text, encoding="utf-8")
        importlib.import_module(name).f()
        importlib.reload(sys.modules[name]).f()
    Path(folder, "outer.py").write_text("import inner\nimport __main__\n__main__.here()\n")
    Path(folder, "inner.py").write_text("import __main__\n\n__main__.here()\n")
    import outer  # noqa: F401

    here()


def threads():
    many = [threading.Thread(target=lambda n=n: [deep(n) for _ in range(9)]) for n in range(12)]
    for one in many:
        one.start()
    for one in many:
        one.join()


def freed():
    """Compiles code objects and frees them, so that later ones get the same addresses."""
    for n in range(200):
        space = dict(globals())
        exec(compile("\n" * n + f"def f{n}():\n  here()\nf{n}()", f"made-{n}.py", "exec"), space)


def limits():
    sys.setrecursionlimit(5000)
    for levels in (0, 1, 2, 50, 400, 900):
        deep(levels)


def traced():
    """Calls a function while a trace function is set, which has a frame of its own."""

    def trace(frame, event, arg):
        if event == "call":
            sys.settrace(None)
            here()

    sys.settrace(trace)
    deep(0)
    sys.settrace(None)


if __name__ == "__main__":
    here()
    for scenario in (deep, arguments, closure, decorated, expressions, statements, classes,
                     generators, texts, threads, freed, limits, traced):  # fmt: skip
        scenario(*([3] if scenario is deep else []))
    asyncio.run(tasks())
    with tempfile.TemporaryDirectory() as made:
        files(made)
    truths.flush()
    last = next(numbers)
    print(f"{last} calls")
