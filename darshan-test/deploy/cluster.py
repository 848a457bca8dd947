"""Runs a small Slurm on this machine alone: a head and two nodes, each a set of namespaces. A node
has its own name, address, processes, /tmp and /dev/shm. Everything else is one file system, like
the home and scratch folders of a cluster. Starting it adds users and files in /etc, so it may run
only in a layer over the machine (./dev slurm)."""

from __future__ import annotations

import os
import re
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

# Limit for each wait.
SECONDS = 60
NODES = ("n1", "n2")
USERS = ("alice", "bob")
SHARED = Path("/scratch")
LOGS = SHARED / "darshan-logs"
PREFIX = Path("/opt/darshan")
ETC = Path("/etc/slurm")
CONFIG = Path("/etc/darshan/darshan.conf")
OFF = Path("/etc/darshan/off")

# The configuration has more CPUs than the machine: tasks then wait for a processor, which Slurm
# does not notice. A job that is put back into the queue starts again when its credentials have
# expired.
SLURM_CONF = f"""
ClusterName=small
SlurmctldHost=head(10.83.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=cred_expire=8
StateSaveLocation=/var/spool/slurmctld
SlurmdSpoolDir=/var/spool/slurmd
SlurmdPidFile=/var/spool/slurmd/slurmd.pid
SlurmctldPidFile=/var/spool/slurmctld/slurmctld.pid
SlurmctldLogFile=/var/log/slurmctld.log
SlurmdLogFile=/var/log/slurmd.%h.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0
ReturnToService=2
KillWait=1
OverTimeLimit=0
JobRequeue=1
TaskProlog={PREFIX}/share/darshan/slurm/task-prolog
Epilog={PREFIX}/share/darshan/slurm/epilog
NodeName=n1 NodeAddr=10.83.0.11 CPUs=4
NodeName=n2 NodeAddr=10.83.0.12 CPUs=4
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
CGROUP_CONF = "CgroupPlugin=cgroup/v1\n"

# The first process of a node. A line on its standard input says that the network is ready. It
# leaves /tmp, because every step would complain about a working folder below the hidden /tmp.
NODE = """
cd /
hostname "$1"
mount -t proc proc /proc
mount -t tmpfs -o mode=1777 tmpfs /tmp
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mount -t tmpfs -o mode=755 tmpfs /var/spool/slurmd
read -r ready
ip link set lo up
ip addr add "$2/24" dev eth0
ip link set eth0 up
slurmd -D </dev/null >/dev/null 2>&1 &
wait
"""
# The first process of the head, which prints "ready".
HEAD = """
hostname head
ip link set lo up
ip link add br0 type bridge
ip addr add 10.83.0.1/24 dev br0
ip link set br0 up
echo ready
exec sleep infinity
"""


def run(*command: str | Path, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Runs a command with a small fixed environment. Returns its status and output. Fails with its
    output if its status is not 0 and `check` is true."""
    words = [str(word) for word in command]
    env = {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "LANG": "C.UTF-8",
    }
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=SECONDS, check=False, env=env
    )
    assert done.returncode == 0 or not check, f"{words}\n{done.stdout}{done.stderr}"
    return done


@dataclass
class Cluster:
    """A small Slurm cluster of a head and nodes on this machine; start() starts it and stop() ends
    it."""

    head: subprocess.Popen[str] | None = None
    nodes: dict[str, subprocess.Popen[str]] = field(default_factory=dict)
    daemons: list[subprocess.Popen[bytes]] = field(default_factory=list)

    # --- start and end --------------------------------------------------------------

    def start(self) -> None:
        """Starts the head, the nodes and Slurm's daemons, and adds the users."""
        for user in USERS:
            run("useradd", "-m", "-s", "/bin/bash", user, check=False)
        LOGS.mkdir(parents=True, exist_ok=True)
        SHARED.chmod(0o1777)
        LOGS.chmod(0o1777)
        for folder in ("/var/spool/slurmctld", "/var/spool/slurmd", "/run/munge", ETC):
            Path(folder).mkdir(parents=True, exist_ok=True)
        (ETC / "slurm.conf").write_text(SLURM_CONF)
        (ETC / "cgroup.conf").write_text(CGROUP_CONF)
        hosts = ["10.83.0.1 head", *(f"10.83.0.1{name[1]} {name}" for name in NODES)]
        with open("/etc/hosts", "a", encoding="utf-8") as file:
            file.write("\n".join(hosts) + "\n")
        self._munge()
        self._head()
        for name in NODES:
            self._node(name)
        self._wait_for("idle nodes", lambda: self.states() == {"idle"})

    def stop(self) -> None:
        """Ends all processes of the cluster."""
        for process in (*self.nodes.values(), *self.daemons, self.head):
            if process:
                process.kill()
                process.wait()

    def _munge(self) -> None:
        """Starts the daemon that authenticates Slurm's messages."""
        run("chown", "-R", "munge:", "/run/munge", "/etc/munge", "/var/lib/munge", "/var/log/munge")
        Path("/run/munge").chmod(0o755)
        if not Path("/etc/munge/munge.key").exists():
            run("setpriv", "--reuid", "munge", "--clear-groups", "mungekey", "--create")
        munged = [
            "setpriv",
            "--reuid",
            "munge",
            "--regid",
            "munge",
            "--clear-groups",
            "munged",
            "-F",
        ]
        self.daemons.append(subprocess.Popen(munged, stderr=subprocess.DEVNULL))
        self._wait_for("munge", lambda: run("munge", "-n", check=False).returncode == 0)

    def _head(self) -> None:
        """Starts the namespaces of the head."""
        command = ["unshare", "--net", "--uts", "sh", "-ec", HEAD]
        self.head = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.head.stdout is not None
        assert self.head.stdout.readline() == "ready\n"
        slurmctld = [*self._on("head"), "slurmctld", "-D", "-c"]
        self.daemons.append(
            subprocess.Popen(slurmctld, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        )

    def _node(self, name: str) -> None:
        """Starts the namespaces of a node, and connects the node with the head."""
        space = ["unshare", "--net", "--uts", "--mount", "--pid", "--fork", "--kill-child"]
        command = [*space, "sh", "-c", NODE, "node", name, f"10.83.0.1{name[1]}"]
        node = subprocess.Popen(command, stdin=subprocess.PIPE, text=True)
        self.nodes[name] = node
        self._wait_for(name, lambda: bool(self._first(node)))
        end = f"v{name}"
        ends = ["ip", "link", "add", end, "type", "veth", "peer", "name", "eth0"]
        run(*self._on("head"), *ends, "netns", str(self._first(node)))
        run(*self._on("head"), "ip", "link", "set", end, "master", "br0", "up")
        assert node.stdin is not None
        node.stdin.write("ready\n")
        node.stdin.flush()

    @staticmethod
    def _first(node: subprocess.Popen[str]) -> int:
        """Returns the pid of the first process inside a node's PID namespace, of which unshare
        itself is the parent outside; 0 if there is none yet."""
        children = Path(f"/proc/{node.pid}/task/{node.pid}/children").read_text().split()
        return int(children[0]) if children else 0

    def _on(self, where: str) -> list[str]:
        """Returns the words that run a command on the head or a node."""
        if where == "head":
            assert self.head
            return ["nsenter", "-t", str(self.head.pid), "--net", "--uts"]
        first = str(self._first(self.nodes[where]))
        return ["nsenter", "-t", first, "--net", "--uts", "--mount", "--pid"]

    @staticmethod
    def _wait_for(what: str, is_there: object) -> None:
        """Waits until a function returns true. what: for the message after a timeout."""
        assert callable(is_there)
        end = time.monotonic() + SECONDS
        while not is_there():
            assert time.monotonic() < end, f"{what}: not within {SECONDS} s"
            time.sleep(0.05)

    # --- use ------------------------------------------------------------------------

    def states(self) -> set[str]:
        """Returns the states of the nodes, such as "idle"."""
        done = run(*self._on("head"), "sinfo", "-h", "-N", "-o", "%t", check=False)
        return set(done.stdout.split())

    def on(self, where: str, *command: str | Path, user: str = "root") -> str:
        """Runs a command on the head or a node as this user, and returns its standard output and
        error together. where: name of the node, or "head". Fails if the command does."""
        become = (
            [] if user == "root" else ["runuser", "-u", user, "--", "env", f"HOME=/home/{user}"]
        )
        done = run(*self._on(where), *become, *command)
        return done.stdout + done.stderr

    def submit(self, script: str, *options: str, user: str = "alice") -> int:
        """Submits a batch job that runs in a new folder, which all users may write. script: its
        shell commands; options: of sbatch. Returns the job id."""
        folder = Path(run("mktemp", "-d", "-p", str(SHARED)).stdout.strip())
        folder.chmod(0o777)
        file = folder / "job.sh"
        file.write_text(f"#!/bin/bash\ncd {folder}\n{script}\n", "utf-8")
        options = ("--chdir", str(folder), "-o", str(folder / "said.%J"), *options)
        said = self.on("head", "sbatch", *options, str(file), user=user)
        match = re.search(r"Submitted batch job (\d+)", said)
        assert match, said
        self.folders = {**getattr(self, "folders", {}), int(match.group(1)): folder}
        return int(match.group(1))

    def folder(self, job: int) -> Path:
        """Returns the folder of a job."""
        return self.folders[job]

    def state(self, job: int) -> str:
        """Returns the state of a job, such as "COMPLETED"."""
        said = self.on("head", "scontrol", "show", "job", str(job))
        return re.search(r"JobState=(\w+)", said).group(1)  # type: ignore[union-attr]

    def finish(self, *jobs: int) -> None:
        """Waits until the jobs have ended, in whatever state, and all nodes are idle again, so that
        the epilogues have ended, too."""
        over = {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL"}
        for job in jobs:
            self._wait_for(f"end of job {job}", lambda job=job: self.state(job) in over)
        self._wait_for("idle nodes", lambda: self.states() == {"idle"})

    def said(self, job: int) -> str:
        """Returns the output of a job."""
        return "".join(path.read_text() for path in sorted(self.folder(job).glob("said.*")))


def left(cluster: Cluster) -> list[str]:
    """Returns the journals and run directories that remain on the nodes, as "NODE:PATH"."""
    found = []
    for node in NODES:
        for folder in ("/tmp", "/dev/shm"):
            names = cluster.on(node, "ls", folder).split()
            found += [f"{node}:{folder}/{name}" for name in names if "darshan" in name]
    return found


def logs_of(job: int, folder: Path = LOGS) -> list[Path]:
    """Returns the logs below a folder whose names have this job id, sorted."""
    return sorted(path for path in folder.rglob("*.darshan") if f"_id{job}-" in path.name)


def in_layer() -> bool:
    """Returns whether the tests run in the layer of ./dev slurm, where they may add users and files
    in /etc."""
    return os.environ.get("DARSHAN_LAYER") == "slurm"
