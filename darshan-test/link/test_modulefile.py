"""Environment modules that darshan-config prints, with the programs Modules and Lmod: loading sets
the variables that the module describes, and unloading restores them."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from lab.command import finished
from place import elsewhere, needs

from .runs import Installed, run

# A library that is preloaded already, without effect.
OTHER = "libc.so.6"
# Beginnings of variables in which each program stores its own state, even if no module is loaded.
BOOKS = ("__MODULES", "_LM", "LMOD", "__LMOD", "LOADEDMODULES", "_ModuleTable", "MODULE")


@pytest.fixture(scope="module")
def plain(installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copies the installation to a folder whose name has no blank or colon, so that it can be in
    variables such as PATH. Returns the folder."""
    prefix = tmp_path_factory.mktemp("plain") / "darshan"
    shutil.copytree(installed.prefix, prefix, symlinks=True, copy_function=os.link)
    return prefix


@dataclass
class Modules:
    """A program for environment modules (Modules or Lmod), the installation's prefix, and the
    folder in which the program finds module files."""

    name: str
    prefix: Path
    folder: Path
    env: dict[str, str] = field(default_factory=dict)

    @property
    def language(self) -> str:
        """The language of the program's module files."""
        return "lua" if self.name == "lmod" else "tcl"

    def put(self, name: str, *words: str, config: Path | None = None) -> Path:
        """Writes the module file that darshan-config --modulefile prints, as the module
        darshan/NAME. Returns its path. words: further arguments of darshan-config; config: which
        darshan-config runs, None for the installed one."""
        config = config or self.prefix / "bin" / "darshan-config"
        text = run([config, "--modulefile", self.language, *words]).stdout
        ending = ".lua" if self.language == "lua" else ""
        file = self.folder / "darshan" / (name + ending)
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, "utf-8")
        return file

    def command(self) -> list[str]:
        """Returns the command that the shell function `module` runs."""
        if self.name == "lmod":
            return ["/usr/share/lmod/lmod/libexec/lmod", "bash"]
        found = [Path(path) for path in ("/usr/lib/modulecmd.tcl", *_elsewhere())]
        return [str(next(path for path in found if path.exists())), "bash"]

    def after(self, *steps: str, env: dict[str, str], then: str = "") -> tuple[dict[str, str], str]:
        """Runs commands for modules, such as "load darshan/1", in a shell. Returns the shell's
        variables afterwards, without those of the module program itself, and the standard error.
        env: variables to start with. then: a shell command to run after them."""
        module = shlex.join(self.command())
        lines = [f'eval "$({module} {step})"' for step in steps]
        # The shell itself prints the variables: an instrumented program would add its run to them.
        show = 'for name in $(compgen -e); do printf \'%s=%s\\0\' "$name" "${!name}"; done'
        script = "\n".join([*lines, then, show])
        # Starts like a shell whose start files define `module`.
        clean = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
        }
        clean |= {"MODULEPATH": str(self.folder), "LMOD_SYSTEM_DEFAULT_MODULES": ""}
        done = subprocess.run(
            ["bash", "-c", script], env=clean | env, capture_output=True, text=True, check=True
        )
        pairs = (line.split("=", 1) for line in done.stdout.split("\0") if "=" in line)
        found = {
            name: value for name, value in pairs if not name.startswith((*BOOKS, "_", "SHLVL"))
        }
        if self.name == "lmod" and found.get("MANPATH", "").endswith("::"):
            found["MANPATH"] = found["MANPATH"][:-1]  # its form of an empty last element
        return found, done.stderr


def _elsewhere() -> list[str]:
    """Returns the paths of Modules in folders of an architecture."""
    return [str(path) for path in Path("/usr/lib").glob("*/modulecmd.tcl")]


@pytest.fixture(params=["environment-modules", "lmod"])
def modules(request: pytest.FixtureRequest, plain: Path, tmp_path: Path) -> Modules:
    """Returns each program for environment modules in turn."""
    if request.param == "lmod":
        needs("slurm")
    elif os.environ.get("DARSHAN_LAYER") == "slurm":
        elsewhere("this layer has Lmod, and Debian has one of the two at a time")
    return Modules(request.param, plain, tmp_path)


@pytest.mark.parametrize("kind", ["tools", "jobs", "all"])
@pytest.mark.parametrize(
    "before",
    [
        {},
        {"LD_PRELOAD": OTHER, "MANPATH": "/a:", "DARSHAN_LOGPATH": "/mine"},
        {"LD_PRELOAD": f"{OTHER} libm.so.6", "MANPATH": "/a", "DARSHAN_ENABLE_NONMPI": "0"},
    ],
    ids=["nothing", "others", "more"],
)
def test_load_and_unload(modules: Modules, kind: str, before: dict[str, str]) -> None:
    """Loading sets the variables that the module describes, or adds to them, and unloading restores
    their values. before: variables that are set before."""
    modules.put("1", kind, str(modules.folder))
    bare, _ = modules.after(env=before)
    loaded, said = modules.after("load darshan/1", env=before)
    assert said == ""
    library = str(modules.prefix / "lib" / "libdarshan.so")
    man = str(modules.prefix / "share" / "man")
    expected = dict(bare)
    expected["PATH"] = f"{modules.prefix / 'bin'}:{bare['PATH']}"
    if "MANPATH" in before:
        expected["MANPATH"] = f"{man}:{before['MANPATH']}"
    expected["DARSHAN_LOGPATH"] = str(modules.folder)
    if kind != "tools":
        expected["LD_PRELOAD"] = ":".join(filter(None, [before.get("LD_PRELOAD"), library]))
    if kind == "all":
        expected["DARSHAN_ENABLE_NONMPI"] = "1"
    assert {k: v for k, v in loaded.items() if v != expected.get(k)} == {}
    assert loaded.keys() == expected.keys()
    after, _ = modules.after("load darshan/1", "unload darshan/1", env=before)
    assert after == bare


def test_programs_leave_logs(modules: Modules) -> None:
    """All programs that are started while the module "all" is loaded leave logs; programs that are
    started after it is unloaded leave none."""
    logs = modules.folder / "logs"
    logs.mkdir()
    modules.put("all", "all", str(logs))
    then = f"cp /bin/sh {modules.folder}/copy"
    env = {"DARSHAN_MMAP_LOGPATH": str(modules.folder)}
    modules.after("load darshan/all", "unload darshan/all", env=env, then=then)
    assert not list(logs.glob("*_cp_*"))  # the unloading program is instrumented too
    modules.after("load darshan/all", env=env, then=then)
    assert len(list(logs.glob("*_cp_*"))) == 1


@pytest.mark.parametrize("env", [{}, {"MANPATH": ""}, {"MANPATH": ":"}], ids=str)
def test_manual(modules: Modules, env: dict[str, str]) -> None:
    """While a module is loaded, `man` finds Darshan's pages and those of the system. env: MANPATH
    before loading."""
    modules.put("1", "tools")
    then = "man -w darshan-run >&2; man -w man >&2 || man -w ls >&2"
    _, said = modules.after("load darshan/1", env=env, then=then)
    assert said.splitlines()[0] == str(modules.prefix / "share/man/man1/darshan-run.1")


def test_only_when_asked(modules: Modules) -> None:
    """The module "tools" provides the commands without instrumenting programs, and `darshan run`
    finds its files."""
    modules.put("1", "tools")
    then = f"cd {modules.folder}; cp /bin/sh a; darshan run cp /bin/sh b 2>&1"
    _, said = modules.after("load darshan/1", env={}, then=then)
    assert said == "" and len(list((modules.folder / "darshan-logs").iterdir())) == 1


def test_two_at_a_time(modules: Modules) -> None:
    """Loading a second module of Darshan fails while one is loaded, as with the modules of Darshan
    3.5.0."""
    for name in ("1", "2"):
        modules.put(name, "jobs")
    (modules.folder / "darshan-runtime").mkdir()
    ending, mark = (".lua", "") if modules.language == "lua" else ("", "#%Module1.0\n")
    (modules.folder / "darshan-runtime" / f"3.5.0{ending}").write_text(mark)
    env, said = modules.after("load darshan-runtime/3.5.0", "load darshan/1", env={})
    assert ("conflict" in said or "Cannot load" in said) and "LD_PRELOAD" not in env
    env, said = modules.after("load darshan/1", "load darshan/2", env={})
    library = str(modules.prefix / "lib" / "libdarshan.so")
    assert env["LD_PRELOAD"] == library


@pytest.mark.parametrize("kind", ["tools", "jobs", "all"])
def test_help(modules: Modules, kind: str) -> None:
    """The help of a module says what is recorded and where logs are, and `whatis` says which
    version of Darshan this is."""
    logs = modules.folder / "logs"
    logs.mkdir()
    modules.put("1", kind, str(logs))
    _, said = modules.after("help darshan/1", env={})
    word = {"tools": "darshan run ./program", "jobs": "Every MPI job", "all": "Every program"}
    assert word[kind] in said and (kind == "tools" or str(logs) in said)
    _, said = modules.after("whatis darshan/1", env={})
    assert (
        f"Darshan {run([modules.prefix / 'bin' / 'darshan-config', '--version']).stdout.strip()}:"
        in said
    )


def test_configuration_file(modules: Modules) -> None:
    """If the last argument of darshan-config --modulefile jobs is not a folder, the module sets it
    as DARSHAN_CONFIG_PATH; the file may be created later."""
    modules.put("1", "jobs", "/etc/darshan/darshan.conf")
    env, _ = modules.after("load darshan/1", env={})
    assert (
        env["DARSHAN_CONFIG_PATH"] == "/etc/darshan/darshan.conf" and "DARSHAN_LOGPATH" not in env
    )


def test_folder_with_a_strange_name(modules: Modules, tmp_path: Path) -> None:
    """The module file works if the installation folder's name contains characters that are special
    in Tcl, Lua, a shell or sed."""
    strange = tmp_path / "a $b [exit] {c} \"d\" \\e 'f' ]] | & ; é #"
    shutil.copytree(modules.prefix, strange, symlinks=True, copy_function=os.link)
    modules.put("1", "tools", config=strange / "bin" / "darshan-config")
    env, said = modules.after("load darshan/1", env={})
    assert said == "" and env["PATH"].startswith(f"{strange}/bin:")


def refused(config: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs darshan-config --modulefile, which must print one line of error and nothing else. words:
    further arguments. Returns the output and the exit status."""
    command = [str(config), "--modulefile", *words]
    done = finished(command)
    assert done.stdout == "" and done.stderr.count("\n") == 1
    assert done.stderr.startswith("darshan-config: --modulefile: ")
    return done


def test_what_cannot_be_named(installed: Installed, plain: Path, tmp_path: Path) -> None:
    """darshan-config refuses to print a module for an installation whose folder cannot be in the
    variables, and arguments that do not fit."""
    config = installed.command("darshan-config")
    assert "blank" in refused(config, "tcl", "jobs").stderr
    assert refused(config, "lua", "all").returncode == 1
    colon = tmp_path / "a:b"
    shutil.copytree(plain, colon, symlinks=True, copy_function=os.link)
    assert "colon" in refused(colon / "bin" / "darshan-config").stderr
    usual = plain / "bin" / "darshan-config"
    for words in (["perl"], ["tcl", "none"], ["tcl", "logs/here"], ["tcl", "jobs", "/a", "/b"]):
        assert refused(usual, *words).returncode == 2
