"""The wheel of darshan_report: its package, the library that reads, and the commands that read. The
names of the sources come from the lists of make (util/Makefile.inc and the files that it includes).

DARSHAN_PORTABLE=1 makes what is to be carried to other machines: zlib and libdeflate inside. CC and
CFLAGS are heeded.
"""

from __future__ import annotations

import functools
import glob
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import setuptools

from distutils.command.build_scripts import build_scripts  # isort: skip  # setuptools brings it
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

TREE = Path(__file__).resolve().parent
PACKAGE = "darshan_report"
LIBRARY = "libdarshan-read.so.0"
PER_FILE = "darshan-summary-per-file"
COMMANDS = (
    "darshan",
    "darshan-analyzer",
    "darshan-diff",
    "darshan-dxt-parser",
    "darshan-parser",
)
PACKING = ("darshan-convert", PER_FILE, f"{PER_FILE}.sh")  # where libdeflate is
STARTED = {  # by Python
    "darshan-job-summary": "main",
    "darshan-trace": "trace",
    "darshan-where": "where",
    "darshan-annotate": "annotate",
    "darshan-try": "try_remedies",
    "darshan-compare": "compare",
    "darshan-dxt-analyzer": "transfers",
    "darshan-collect": "collect",
    "darshan-ask": "ask",
    "darshan-lake": "lake",
    "darshan-digest": "digest",
    "darshan-serve": "serve",
}
PAGES = ("darshan-parse", "darshan-report", "darshan-stat")
# Libraries that the wheel contains, and the Debian packages whose licence texts go into it.
HELD = {"zlib": "zlib1g-dev", "libdeflate": "libdeflate-dev", "bzip2": "libbz2-dev"}


def version() -> str:
    """Returns the version from configure.ac."""
    found = re.search(
        r"^AC_INIT\(\[darshan\], \[([^]]+)\]\)", (TREE / "configure.ac").read_text(), re.M
    )
    if not found:
        raise SystemExit("configure.ac does not say which version this is")
    return found[1]


def is_portable() -> bool:
    return os.environ.get("DARSHAN_PORTABLE", "0") not in ("", "0")


def has_old_versions() -> bool:
    """Returns True if the C library is glibc and util/glibc/ has old symbol versions for this
    processor.
    """
    return platform.libc_ver()[0] == "glibc" and platform.machine() in ("x86_64", "aarch64")


class Lists:
    """The variables of the makefiles, with the values that configure set."""

    def __init__(self) -> None:
        archive = "-l:lib{}.a" if is_portable() else "-l{}"
        self.values = {
            "srcdir": shlex.quote(str(TREE)),
            "AM_CFLAGS": "-std=c11",
            "AM_CPPFLAGS": "-I$(srcdir)/runtime/format -I$(srcdir)/runtime"
            " -I$(srcdir)/runtime/libc/glibc",
            "ZLIB_LIBS": archive.format("z"),
            "BZIP2_LIBS": archive.format("bz2"),
            "DEFLATE_LIBS": archive.format("deflate"),
            "TOP_LIBS": "$(ZLIB_LIBS) $(BZIP2_LIBS) $(DEFLATE_LIBS)",
        }
        if has_old_versions():
            self.values["AM_CPPFLAGS"] += (
                " -DDARSHAN_OLD_GLIBC -include $(srcdir)/runtime/glibc/versions.h"
            )
        self._read((TREE / "util/Makefile.inc").read_text())
        # The archive does not go into a library; auditwheel brings the library.
        self.values["shared_bzip2"] = "-lbz2"

    def _read(self, text: str) -> None:
        takes = [True]
        for line in text.replace("\\\n", " ").splitlines():
            if line.startswith("if "):
                takes.append(line.split()[1] == "WITH_OLD_GLIBC" and has_old_versions())
            elif line == "else":
                takes[-1] = not takes[-1]
            elif line == "endif":
                takes.pop()
            elif all(takes) and (row := re.match(r"include \$\(srcdir\)/(.*)", line)):
                self._read((TREE / row[1]).read_text())
            elif all(takes) and (row := re.match(r"(\w+) (\+?)= ?(.*)", line)):
                name, more, value = row.groups()
                self.values[name] = f"{self.values.get(name, '')} {value}" if more else value

    def words(self, name: str, missing: str = "") -> list[str]:
        """Returns the value of a makefile variable, as words of a command."""
        text = self.values.get(name, missing)
        while "$(" in text:
            text = re.sub(r"\$\((\w+)\)", lambda found: self.values.get(found[1], ""), text)
        return shlex.split(text)


class Compiler:
    """Compiles and links the targets of the makefiles' lists, in a separate folder."""

    def __init__(self, folder: str) -> None:
        self.lists = Lists()
        self.folder = Path(folder).resolve() / "compiled"
        self.cc = shlex.split(os.environ.get("CC", "cc"))
        self.flags = shlex.split(os.environ.get("CFLAGS", "-O2"))
        self.objects: dict[tuple[str, ...], str] = {}
        (self.folder / "util/front").mkdir(parents=True, exist_ok=True)
        (self.folder / "config.h").write_text(
            f'#define PACKAGE_VERSION "{version()}"\n#define DARSHAN_DEFAULT_LOG_PATH ""\n'
            '#define DARSHAN_LOG_PATH_VARIABLES ""\n#define DARSHAN_OFF_FILE "/etc/darshan/off"\n'
            "#define DARSHAN_LOG_MODE 0400\n"
        )
        (self.folder / "util/front/installed.h").write_text(
            '#define FRONT_LIBRARY_FOLDER "../lib"\n'
            '#define FRONT_MANUAL_FOLDER "../share/man/man1"\n'
            '#define FRONT_MISSING "the wheel only reads logs; to record programs and to make '
            'logs of journals, install all of Darshan (guide python.md)"\n'
        )

    def run(self, *command: str) -> None:
        try:
            subprocess.run(command, cwd=self.folder, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise SystemExit(f"darshan-report: {shlex.join(command)}: {error}") from error

    def can(self, header: str, *libraries: str) -> bool:
        """Returns True if the header exists and a program with these libraries links."""
        probe = self.folder / "probe.c"
        probe.write_text(
            f"#include <stdio.h>\n#include <{header}>\nint main(void) {{ return 0; }}\n"
        )
        command = [*self.cc, str(probe), "-o", "probe", *libraries]
        return not subprocess.run(
            command, cwd=self.folder, capture_output=True, check=False
        ).returncode

    def need(self) -> None:
        if not shutil.which(self.cc[0]):
            raise SystemExit(
                f"darshan-report: cannot find the compiler {self.cc[0]}; set CC to a compiler"
            )
        for name, header, package in (
            ("ZLIB_LIBS", "zlib.h", "zlib1g-dev"),
            ("BZIP2_LIBS", "bzlib.h", "libbz2-dev"),
        ):
            if not self.can(header, *self.lists.words(name)):
                raise SystemExit(
                    f"darshan-report: {header} or its library is missing (Debian: {package})"
                )
        if not self.can("libdeflate.h", *self.lists.words("DEFLATE_LIBS")):
            self.leave_out_deflate()

    def has_deflate(self) -> bool:
        return bool(self.lists.values["DEFLATE_LIBS"])

    def leave_out_deflate(self) -> None:
        """Replaces the source file that calls libdeflate by one that uses only zlib."""
        values = self.lists.values
        values["DEFLATE_LIBS"] = ""
        sources = values["libdarshan_read_a_SOURCES"].split()
        values["libdarshan_read_a_SOURCES"] = " ".join(
            "util/reader/without-libdeflate/decompress-once.c"
            if source == "util/reader/decompress-once.c"
            else source
            for source in sources
        )

    def compiled(self, target: str) -> list[str]:
        """Returns the object files of a target. Reuses an object that another target compiled with
        the same options.
        """
        flags = [*self.lists.words("AM_CFLAGS"), "-fPIC", *self.flags, "-I."]
        flags += self.lists.words(f"{target}_CPPFLAGS", "$(AM_CPPFLAGS)")
        sources = [s for s in self.lists.words(f"{target}_SOURCES") if s.endswith(".c")]
        keys = {source: (source, *sorted(set(flags))) for source in sources}
        new = [source for source in sources if keys[source] not in self.objects]
        for source in new:
            self.objects[keys[source]] = f"{target}-{source.replace('/', '-')}.o"
        with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
            for _ in threads.map(
                lambda source: self.run(
                    *self.cc, *flags, "-c", str(TREE / source), "-o", self.objects[keys[source]]
                ),
                new,
            ):
                pass
        return [self.objects[keys[source]] for source in sources]

    def link(self, name: str, out: Path) -> None:
        """Compiles and links a program or a shared library to `out`, with those of our archives
        that its lists name.
        """
        target = re.sub(r"\W", "_", name)
        words = [*self.lists.words(f"{target}_LDFLAGS"), *self.lists.words(f"{target}_LDADD")]
        for archive in dict.fromkeys(re.findall(r"(?:lib[\w-]+\.a)", " ".join(words))):
            if archive.startswith("libdarshan") and not (self.folder / archive).exists():
                self.run("ar", "rc", archive, *self.compiled(re.sub(r"\W", "_", archive)))
        out.parent.mkdir(parents=True, exist_ok=True)
        objects = self.compiled(target)
        self.run(*self.cc, *self.flags, "-s", "-o", str(out.resolve()), *objects, *words)


@functools.cache
def compiler(folder: str) -> Compiler:
    """Returns the only Compiler of this build, which uses `folder`."""
    made = Compiler(folder)
    made.need()
    return made


class BuildPackage(build_py):
    """Copies the Python modules and builds the library next to them, where the modules search for
    it.
    """

    def run(self) -> None:
        if getattr(self, "editable_mode", False):
            raise SystemExit("darshan-report: to work on the sources, use ./dev build (README.md)")
        super().run()
        folder = Path(self.build_lib) / PACKAGE
        compiler(self.get_finalized_command("build").build_temp).link(LIBRARY, folder / LIBRARY)
        (folder / "_installed.py").write_text(
            '"""Where the library is, seen from this package."""\n\nLIBRARY_FOLDER = "."\n'
            f'VERSION = "{version()}"\n'
        )
        for name, package in HELD.items() if is_portable() else ():
            text = Path("/usr/share/doc", package, "copyright")
            if not text.exists():
                raise SystemExit(
                    f"darshan-report: cannot find {text}, which a package with {name} must contain"
                )
            shutil.copyfile(text, folder / f"{name}-LICENSE")


class BuildCommands(build_scripts):
    """Builds the commands that are C programs, and a script that starts them."""

    def run(self) -> None:
        folder = Path(self.build_dir)
        tools = compiler(self.get_finalized_command("build").build_temp)
        names = COMMANDS
        if tools.has_deflate():
            names += PACKING
        else:
            print(
                f"darshan-report: without libdeflate, so without {' '.join(PACKING)}",
                file=sys.stderr,
            )
        for name in names:
            if name.startswith(PER_FILE):
                text = (TREE / f"util/python/{PER_FILE}.in").read_text()
                (folder / name).write_text(text.replace("@PACKAGE_VERSION@", version()))
                (folder / name).chmod(0o755)
            else:
                tools.link(name, folder / name)


class Wheel(bdist_wheel):
    """A wheel for any Python 3, because no code is compiled for one Python version."""

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]


class Here(setuptools.Distribution):
    """A distribution that depends on the platform, because it contains compiled code."""

    def has_ext_modules(self) -> bool:
        return True


pages = [f"doc/man/{name}.1" for name in (*COMMANDS, *PACKING, *STARTED, *PAGES)]
os.chdir(TREE)
# The pages name them; they name each other.
guides = [*sorted(glob.glob("doc/*.md")), "doc/ranks.svg", "doc/centre.ipynb"]
# Objects go into a folder of this run alone; a list for the source package must be in the tree.
base = tempfile.TemporaryDirectory(prefix="darshan-wheel-")
lists = "build/wheel" if os.access(TREE, os.W_OK) else base.name
# A list of before names files that may have gone since.
shutil.rmtree(f"{lists}/darshan_report.egg-info", ignore_errors=True)
os.makedirs(lists, exist_ok=True)
setuptools.setup(
    version=version(),
    packages=setuptools.find_packages("util/python"),
    package_dir={"": "util/python"},
    package_data={
        PACKAGE: [
            "py.typed",
            "report/html/assets/*",
            "report/html/third_party/*",
            "report/pdf/template.tex",
        ]
    },
    include_package_data=False,
    scripts=[f"util/python/{PER_FILE}.in"],  # and those of BuildCommands
    entry_points={
        "console_scripts": [
            f"{name} = {PACKAGE}.command:{start}" for name, start in STARTED.items()
        ]
    },
    data_files=[
        ("share/man/man1", [page for page in pages if os.path.exists(page)]),
        ("share/doc/darshan", guides),
        ("share/doc/darshan/history", sorted(glob.glob("doc/history/*.md"))),
        ("share/doc/darshan/pictures", sorted(glob.glob("doc/pictures/*.png"))),
    ],
    distclass=Here,
    cmdclass={"build_py": BuildPackage, "build_scripts": BuildCommands, "bdist_wheel": Wheel},
    options={"build": {"build_base": base.name}, "egg_info": {"egg_base": lists}},
)
