# ruff: noqa: F403, F405
"""Darshan for Spack.  The recipe lies in the tree that it builds: a clone of it is the
source of @main, and the archive that `make dist` leaves in build/ that of a version."""

import glob
from pathlib import Path

from spack.package import *
from spack_repo.builtin.build_systems.autotools import AutotoolsPackage

TREE = Path(__file__).resolve().parents[6]
JOB_IDS = {
    "none": "NONE",
    "slurm": "SLURM_JOB_ID",
    "pbs": "PBS_JOBID",
    "lsf": "LSB_JOBID",
    "sge": "JOB_ID",
}


class Darshan(AutotoolsPackage):
    """Shows what a program does with its files, and what that costs: a preloaded library keeps a
    record per file, and tools make text, screens and reports of these records.

    One build serves every MPI, HDF5 and PnetCDF: they are found by name when a program starts, so
    there is no variant of theirs and no dependency on them."""

    homepage = TREE.as_uri()
    git = TREE.as_uri()
    url = f"{TREE.as_uri()}/build/darshan-4.0.0.tar.xz"

    maintainers("darshan-rebuilt")
    license("BSD-3-Clause")

    version("main", branch="main")
    # No sum here: this file is in the archive.  `spack checksum darshan` finds it.
    version("4.0.0")

    variant(
        "scheduler",
        default="slurm",
        values=tuple(JOB_IDS),
        multi=False,
        description="Whose variable has the id of a job",
    )
    variant(
        "logpath",
        default="none",
        values=lambda value: value == "none" or value.startswith("/"),
        description="Folder for everybody's logs, with folders of days; none: darshan-logs at home",
    )
    variant("group_readable", default=False, description="A log's group may read it")
    variant("report", default=True, description="Reports: PDF, web page, data")
    variant("latex", default=False, when="+report", description="PDFs set by LaTeX, not matplotlib")
    variant("preload", default=False, description="Its module lets every MPI job leave a log")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    with when("@main"):
        depends_on("autoconf@2.71:", type="build")
        depends_on("automake@1.16:", type="build")

    # The runtime has a copy of both in itself, so that no program's zlib is touched.
    depends_on("zlib +pic")
    depends_on("libdeflate@1.14:")
    depends_on("bzip2")

    # Also without reports: configure looks for it, and some tools are written in it.
    depends_on("python@3.9:", type=("build", "run"))
    with when("+report"):
        extends("python")
        depends_on("py-numpy", type=("build", "run"))
        depends_on("py-matplotlib", type=("build", "run"))
        depends_on("elfutils", type="run")
    depends_on("texlive", type="run", when="+latex")
    depends_on("cmocka", type="test")

    # Preloading is for the loader of Linux.
    conflicts("platform=darwin", msg="only for Linux")
    conflicts("platform=windows", msg="only for Linux")

    def configure_args(self) -> list:
        scheduler = self.spec.variants["scheduler"].value
        logpath = self.spec.variants["logpath"].value
        args = [
            f"--with-jobid-env={JOB_IDS[scheduler]}",
            f"PYTHON={self.spec['python'].command.path}",
        ]
        args += self.enable_or_disable("group-readable-logs", variant="group_readable")
        if logpath != "none":
            args.append(f"--with-log-path={logpath}")
        return args

    def setup_run_environment(self, env: EnvironmentModifications) -> None:
        """Preloads the library with +preload. Spack itself sets PATH and MANPATH."""
        if self.spec.satisfies("+preload"):
            # Last, so that what has to be first (a sanitizer) stays first.
            env.append_path("LD_PRELOAD", join_path(self.prefix.lib, "libdarshan.so"))

    def test_log_of_a_program(self) -> None:
        """a program under `darshan run` leaves a log that `darshan parse` reads"""
        darshan = which(self.prefix.bin.darshan, required=True)
        with working_dir("darshan-test", create=True):
            darshan("run", "-o", "logs", "--", "cp", str(self.prefix.bin.darshan), "copy")
            (log,) = glob.glob("logs/*.darshan")
            rows = darshan("parse", log, output=str)
        assert "POSIX_BYTES_WRITTEN" in rows

    def test_report(self) -> None:
        """`darshan report` makes a report of a log that `darshan run` left"""
        if not self.spec.satisfies("+report"):
            raise SkipTest("built without reports")
        darshan = which(self.prefix.bin.darshan, required=True)
        with working_dir("darshan-test", create=True):
            darshan("run", "-o", "reported", "--", "cp", str(self.prefix.bin.darshan), "copy")
            (log,) = glob.glob("reported/*.darshan")
            text = darshan("report", "--text", log, output=str)
        assert "POSIX" in text
