/* The run directory, which the processes of a run and the merger share. Its files are
 *
 *   events               rows about processes, appended one at a time; mode 0700 once the root
 *                        process has written its END
 *   events.1, .2 ...     rows of processes that may write no more to the previous file
 *                        (RLIMIT_FSIZE); rows of different files are ordered by their times
 *   name.FILE, .FILE.PID a link to the name that a file has in the run, or for a process and
 *                        its children, if the system has another (life/run/run.h)
 *   part.PID.START.N     the finished log of one program of a process; or a link to
 *                        FOLDER.part.PID.START.N elsewhere (log/elsewhere.c)
 *   packed               the small finished logs of all programs but the first, one after the
 *                        other, each behind a run_packed. A process appends one while it holds a
 *                        shared lock (flock) and `closed` does not exist; a merger removes logs
 *                        under an exclusive lock, by making the file again or removing it
 *   *_mmap-log-*.darshan the journal of a program that runs or was killed; the start in its job
 *                        record is that of the program
 *   logs                 in a run of `darshan run`: a link to the run's own folder in the log
 *                        folder, for separate logs of processes
 *   closed               the run has a log: a later process writes its own. `events` is removed
 *                        before it
 *   merging, merged, naming, partial, writing   the merger's (util/merge/run/commit.h)
 *   folding, folded      of the process that combines many parts (util/merge/run/fold.c)
 *
 * A process lasts from its fork or spawn to its end and may run several programs by exec. Each
 * program has a START row, and its start time identifies its part and its journal. doc/runs.md
 * explains how rows become processes. */
#ifndef DARSHAN_FORMAT_RUN_H
#define DARSHAN_FORMAT_RUN_H

#include <stdint.h>

enum { RUN_EVENTS_MODE = 0600, RUN_TOP_LEFT_MODE = 0700, RUN_EVENTS_MOST = 256 /* files */ };

#define RUN_EVENTS "events"
#define RUN_PART "part."
#define RUN_PACK "packed"
#define RUN_CLOSED "closed"
#define RUN_NAME "name."
#define RUN_LOGS "logs"

/* Prefix of the run directory's name; the pid of the root process, a dot and a unique string
 * follow. Pid 0: the `darshan` command makes the log. A "p" after the pid: it is the pid of the
 * launcher, which leaves no records and started several root processes. */
#define RUN_FOLDER "darshan-run."

enum run_event_kind {
  RUN_START = 1,       /* pid runs a program from start_ns on; parent is its current parent;
                        * status 1: the program is a launcher of ranks */
  RUN_FORKING = 2,     /* pid is about to fork; the child's START has the same token */
  RUN_FORK_FAILED = 3, /* the fork of this token failed */
  RUN_SPAWNED = 4,     /* pid is a child of parent, even if it writes no rows; token: of the
                        * fork, 0 without a fork */
  RUN_EXEC = 5,        /* pid is about to run another program; its next START is not that of a
                        * new process */
  RUN_END = 6,         /* pid has written its part; status: of exit, -1 if unknown; token 1: it
                        * could not write, and its records are lost */
  RUN_REAPED = 7,      /* parent received the status of pid, as of wait; token 1: program holds a
                        * run_usage, job the nanoseconds of processor time */
  RUN_JOB = 8,         /* pid is a rank of an MPI job of `status` ranks, which has its own log */
  RUN_UNKEPT = 9,      /* pid records without a journal: if killed, it leaves no records; token
                        * 1: the records of this program are lost */
  RUN_UNWATCHED = 10   /* pid runs or will run a program that leaves no records; status: why
                        * (run_unwatched); token 1: start_ns and job are the bytes that the calls
                        * of its parent had read and written by then; token 2: it may have
                        * children that have written rows before */
};

/* Reasons why a program is not instrumented; values of PROCESS_UNSEEN. */
enum run_unwatched {
  RUN_WATCHED,
  RUN_STATIC,      /* it is linked statically */
  RUN_OTHER_LIBC,  /* it has another C library or another ELF class */
  RUN_RIGHTS,      /* it raises its privileges */
  RUN_ENVIRONMENT, /* its environment does not load the runtime */
  RUN_GO,          /* a Go program with cgo: it writes rows, but its I/O bypasses libc */
  RUN_SILENT       /* it has written no row, for an unknown reason */
};

/* Bytes that a process transferred until its end, including those of children that it waited for,
 * as its parent read them. calls_read, calls_written: bytes of read and write calls, taken from the
 * parent's own counters, to which the kernel has added those of the process. */
struct run_usage {
  int64_t storage_read, storage_written, calls_read, calls_written;
};

enum { RUN_EVENT_MAGIC = 0x4e555244 /* "DRUN" */, RUN_PROGRAM = 40, RUN_HOST = 24 };

struct run_event {
  uint32_t magic;
  uint32_t kind;
  int32_t pid;
  int32_t parent;
  int32_t status;
  uint32_t token;
  int64_t now_ns; /* wall clock, since the epoch */
  int64_t
      start_ns; /* start of the program, as in its job record; may be 0 in rows other than START */
  uint64_t pid_namespace;    /* its inode; 0: unknown */
  uint64_t job;              /* JOB: the same in all ranks of one job */
  char program[RUN_PROGRAM]; /* START: its name, truncated; ends in NUL unless full */
  char host[RUN_HOST];       /* up to its first dot, truncated; ends in NUL unless full */
};
_Static_assert(sizeof(struct run_event) == 120, "rows have one size everywhere");

/* The head of a log in `packed`. The log is treated like a part named after its pid, start_ns and
 * number. A process that is killed while it appends leaves an incomplete head or log; readers
 * continue at the next magic. */
#define RUN_PACKED_MAGIC "\xd7RUNPACK"
enum { RUN_PACKED_MOST = 1 << 18 /* bytes of a log */ };
struct run_packed {
  char magic[8]; /* RUN_PACKED_MAGIC */
  uint64_t head; /* darshan_hash of the other fields after this one */
  uint64_t log;  /* darshan_hash of the log */
  uint64_t length;
  int64_t start_ns;
  int32_t pid;
  uint32_t number;
};
_Static_assert(sizeof(struct run_packed) == 48, "heads have one size everywhere");

#endif
