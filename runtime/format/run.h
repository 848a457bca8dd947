/* What the processes of one run tell each other and whoever makes one log of them: a
 * folder that they share, and in it
 *
 *   events               what happened to processes, appended one row at a time; its owner
 *                        may execute it (mode 0700) when the top has said its END
 *   events.1, .2 ...     the same of processes that may write no more to the one before
 *                        (RLIMIT_FSIZE); each has its own order, and times tell that of all
 *   name.FILE, .FILE.PID a link to the name that a file has in the run, or for a process and
 *                        its children, where the system has another (life/run-names.h)
 *   part.PID.START.N     the finished log of one program that a process was; or a link to
 *                        FOLDER.part.PID.START.N elsewhere (log/elsewhere.h)
 *   *_mmap-log-*.darshan the journal of one that lives, or was killed; its job record's
 *                        start is that of the program
 *   logs                 of a run of the front's: a link to the folder of its own, in the one
 *                        for logs, that the processes' own logs go to
 *   closed               there is a log of the run: who comes later writes its own
 *   merging, merged, naming, partial, writing   a merger's (util/merge/run/closing.h)
 *   folding, folded      of who makes one part of many (util/merge/run/fold.h)
 *
 * A process is one from its fork or spawn to its end, however many programs it became
 * by exec; each of those has a START row of its own, and its start tells which part and
 * journal are its.  doc/runs.md explains how rows become processes. */
#ifndef DARSHAN_FORMAT_RUN_H
#define DARSHAN_FORMAT_RUN_H

#include <stdint.h>

enum { RUN_EVENTS_MODE = 0600, RUN_TOP_LEFT_MODE = 0700, RUN_EVENTS_MOST = 256 /* files */ };

#define RUN_EVENTS "events"
#define RUN_PART "part."
#define RUN_CLOSED "closed"
#define RUN_NAME "name."
#define RUN_LOGS "logs"

/* The folder's name: this, the process id of the top and something unique, with points
 * between.  "0" for the top: the front makes the log.  A "p" behind it: it is that of the
 * launcher, which tells nothing, of the tops of several trees. */
#define RUN_FOLDER "darshan-run."

enum run_event_kind {
  RUN_START = 1,       /* pid runs a program from start_ns on; parent is its parent now;
                        * status 1: it is one that starts the ranks of jobs */
  RUN_FORKING = 2,     /* pid is about to fork; the child's START has the same token */
  RUN_FORK_FAILED = 3, /* ... and there is no child */
  RUN_SPAWNED = 4,     /* pid is a child of parent, whether or not it tells by itself; by the
                        * fork of this token, 0: by none */
  RUN_EXEC = 5,        /* pid is about to become another program; its next START is not
                        * that of a new process */
  RUN_END = 6,         /* pid has written its part; status: as exit gave it, -1: not known;
                        * token 1: it could not, and its records are lost */
  RUN_REAPED = 7,      /* parent was told how pid ended; status: as of wait; token 1: program
                        * holds a run_usage, job nanoseconds of processor time */
  RUN_JOB = 8,         /* pid is a rank of an MPI job of `status` ranks, whose log is its own */
  RUN_UNKEPT = 9,      /* pid records, and can have no journal: killed, it leaves nothing;
                        * token 1: the records of this program are lost */
  RUN_UNWATCHED = 10   /* pid becomes, or is, a program that will tell nothing; status: why
                        * (run_unwatched); token: 1 if start_ns and job are what its parent's
                        * calls had read and written until then, 2 if it may have children
                        * that have spoken before */
};

/* As PROCESS_UNSEEN has it. */
enum run_unwatched {
  RUN_WATCHED,
  RUN_STATIC,      /* it is linked statically */
  RUN_OTHER_LIBC,  /* it is of another C library, or of another class */
  RUN_RIGHTS,      /* it raises its rights */
  RUN_ENVIRONMENT, /* its environment lacks us */
  RUN_GO,          /* Go, with C in it: it tells of itself, but does I/O by calls of its own */
  RUN_SILENT       /* it has never spoken, and nobody knows why */
};

/* What a process has had until its end, with the children that it waited for; of calls: what
 * its parent has had by then. */
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
  int64_t now_ns;            /* wall clock, since the epoch */
  int64_t start_ns;          /* START: the program's, as in its job record; others: 0 or the same */
  uint64_t pid_namespace;    /* its inode; 0: not known */
  uint64_t job;              /* JOB: the same in all ranks of one job */
  char program[RUN_PROGRAM]; /* START: its name, cut; ends in NUL unless full */
  char host[RUN_HOST];       /* up to its first dot, cut; likewise */
};
_Static_assert(sizeof(struct run_event) == 120, "rows have one size everywhere");

#endif
