"""MPI programs in C and Fortran that are linked with the runtime have the same rows as preloaded
ones, with each MPI, shared or static."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from lab.command import finished
from sample import turning

from .runs import HERE, MPIEXEC, Comparison, Installed, hdf5_flags, need, need_file, run

# The folder of Debian's libraries.
LIBRARIES = Path("/usr/lib/x86_64-linux-gnu")
# The folder of MPICH's headers, for a compiler that does not know it.
MPICH_HEADERS = "/usr/include/x86_64-linux-gnu/mpich"
# The libraries below Debian's static MPICH, which exist only as shared libraries.
MPICH_NEEDS = ["-lucp", "-lucs", "-lhwloc", "-lpthread", "-lrt", "-lm"]
# Debian 13 has the static libraries in a folder of MPICH's own.
STATIC = LIBRARIES / "mpich" / "lib"
STATIC = STATIC if (STATIC / "libmpich.a").exists() else LIBRARIES
# For each source, the MPI's compiler command and the compiler itself.
COMPILERS = {"mpi.c": ("mpicc", "gcc"), "mpi.f90": ("mpif90", "gfortran")}


@pytest.mark.parametrize(
    ("mpi", "source"), turning([(m, s) for m in MPIEXEC for s in COMPILERS], 0.5, "linked MPI")
)
def test_shared(
    installed: Installed, comparison: Comparison, tmp_path: Path, mpi: str, source: str
) -> None:
    """MPI programs that are linked with the runtime and with the shared libraries of an MPI have
    the same log rows as preloaded ones."""
    compiler = f"{COMPILERS[source][0]}.{mpi}"
    need(compiler, MPIEXEC[mpi][0])
    plain, linked = tmp_path / "plain", tmp_path / "linked-program"
    run([compiler, HERE / source, "-o", plain])
    run([installed.compiler(compiler, tmp_path), HERE / source, "-o", linked])
    comparison.same([linked], [plain], launch=MPIEXEC[mpi], modules=["POSIX", "MPI-IO"])


def test_profile_of_mpich(installed: Installed, comparison: Comparison, tmp_path: Path) -> None:
    """A program that is linked by `mpicc -profile=darshan`, with the file that darshan-config
    --mpich-profile prints, has the same log rows as a preloaded one."""
    need("mpicc.mpich", MPIEXEC["mpich"][0])
    plain, linked = tmp_path / "plain", tmp_path / "linked-program"
    moved = Installed(shutil.copytree(installed.prefix, tmp_path / "prefix", symlinks=True))
    text = run([moved.command("darshan-config"), "--mpich-profile"]).stdout
    # MPICH also searches here if its own folder of settings has no such file.
    (tmp_path / "darshan.conf").write_text(text)
    run(["mpicc.mpich", HERE / "mpi.c", "-o", plain])
    run(["mpicc.mpich", "-profile=darshan", HERE / "mpi.c", "-o", linked], cwd=tmp_path)
    comparison.same([linked], [plain], launch=MPIEXEC["mpich"], modules=["POSIX", "MPI-IO"])


def test_profile_that_mpich_could_not_read(installed: Installed) -> None:
    """darshan-config --mpich-profile refuses an installation folder whose name has a blank, because
    MPICH would split the words there."""
    done = finished([installed.command("darshan-config"), "--mpich-profile"])
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1 and str(installed.prefix) in done.stderr


@pytest.mark.parametrize("source", COMPILERS)
def test_mpich_inside(
    installed: Installed, comparison: Comparison, tmp_path: Path, source: str
) -> None:
    """Programs linked with the runtime and the static libmpich.a are recorded completely, although
    their MPI calls do not pass the dynamic loader."""
    shared, own = COMPILERS[source]
    need(f"{shared}.mpich", own, MPIEXEC["mpich"][0])
    plain, linked = tmp_path / "plain", tmp_path / "linked-program"
    libraries = [need_file(STATIC / "libmpich.a")]
    if own == "gfortran":
        libraries.insert(0, need_file(STATIC / "libmpichfort.a"))
    run([f"{shared}.mpich", HERE / source, "-o", plain])
    words = [f"-I{MPICH_HEADERS}", "-w", HERE / source, "-o", linked, *libraries, *MPICH_NEEDS]
    run([installed.compiler(own, tmp_path), *words])
    assert "libmpich" not in run(["readelf", "-d", linked]).stdout
    comparison.same([linked], [plain], launch=MPIEXEC["mpich"], modules=["POSIX", "MPI-IO"])


@pytest.mark.parametrize("inside", ["hdf5", "hdf5 and mpich"])
def test_parallel_hdf5_inside(
    installed: Installed, comparison: Comparison, build: Path, tmp_path: Path, inside: str
) -> None:
    """Programs linked with the runtime and the static parallel libhdf5.a, and with a shared or a
    static MPICH, have the same log rows as preloaded ones."""
    need("mpicc.mpich", MPIEXEC["mpich"][0])
    folder = LIBRARIES / "hdf5" / "mpich"
    archive = need_file(folder / "libhdf5.a")
    headers = ["-I/usr/include/hdf5/mpich", f"-I{MPICH_HEADERS}"]
    plain, linked = tmp_path / "plain", tmp_path / "linked-program"
    source = HERE / "parallel.c"
    run(["mpicc.mpich", *headers, source, "-o", plain, f"-L{folder}", "-lhdf5"])
    # The libraries below HDF5 are those of the serial build, which are in another folder.
    below = [word for word in hdf5_flags(build, "HDF5_STATIC_LIBS") if word[:2] == "-l"]
    libraries = [archive, *(word for word in below if word != "-l:libhdf5.a")]
    compiler = "mpicc.mpich"
    if "mpich" in inside:
        compiler = "gcc"
        libraries += [need_file(STATIC / "libmpich.a"), *MPICH_NEEDS]
    run([installed.compiler(compiler, tmp_path), *headers, source, "-o", linked, *libraries])
    assert "libhdf5" not in run(["readelf", "-d", linked]).stdout
    comparison.same(
        [linked], [plain], launch=MPIEXEC["mpich"], modules=["POSIX", "MPI-IO", "H5F", "H5D"]
    )
