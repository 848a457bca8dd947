/* Declares the processes of a run, which are made from the event file's rows and from the parts
 * (doc/runs.md). */
#ifndef DARSHAN_MERGE_PROCESSES_H
#define DARSHAN_MERGE_PROCESSES_H

#include "../records/bytes.h"
#include "run.h"

/* The clock differences between the hosts of a run. The rows of the event file are in the order in
 * which they were written. If a row of host B follows a row of host A, it was written later,
 * regardless of B's clock. So each pair of rows bounds the difference from one side. */

enum { CLOCKS_MOST = 256 }; /* number of hosts; further hosts are not compared */

struct host_clock {
  char host[RUN_HOST];
  int64_t latest;    /* latest time in the host's rows so far, nanoseconds since the epoch */
  int64_t low, high; /* bounds of the nanoseconds to add to the host's times; INT64_MIN, INT64_MAX:
                        not bounded */
};

struct clocks { /* zeroed before its first use; the first host has the run's clock */
  struct host_clock host[CLOCKS_MOST];
  int count, more; /* more 1: the run has further hosts */
};

/* Narrows the bounds by the next row of the event file. Returns the index of the row's host, or
 * CLOCKS_MOST if the table is full. */
int clocks_take(struct clocks *clocks, const struct run_event *event);
/* Returns the nanoseconds to add to times of the host with this index, so that they are on the
 * clock of the first host; 0 unless its clock certainly differs, or if the host has no index. */
int64_t clocks_behind(const struct clocks *clocks, int host);
/* Returns by how many nanoseconds the corrected times of this host may at most be wrong; -1 if this
 * is unknown. */
int64_t clocks_error(const struct clocks *clocks, int host);

enum process_end { /* values of PROCESS_ENDED */
                   PROCESS_END_UNKNOWN,
                   PROCESS_EXITED,
                   PROCESS_SIGNALLED,
                   PROCESS_STILL_RAN
};

/* A program of a process: from its start, fork or exec, to the next exec or the exit. Indices link
 * the programs of a process; -1 ends the list. */
struct run_program {
  int64_t start_ns;  /* since the epoch, on its host's clock; identifies its part and journal */
  int process, next; /* index of its process; index of the process's next program, or -1 */
  int forked;        /* 1: the program is the parent's, until the first exec */
  int launcher;      /* 1: the program starts the ranks of jobs, according to its START row */
  char name[RUN_PROGRAM]; /* without folders, may be truncated; "": unknown */
};

/* The log or the journal that a program left. */
struct run_part {
  int64_t start_ns; /* start of the program, since the epoch, on its host's clock */
  int32_t pid;
  uint32_t number; /* number among the parts of the same program */
  char *journal;   /* name of the journal; NULL: the part has the name part.PID.START.NUMBER */
  uint64_t packed, length; /* offset and length in the file of small parts; length 0: the part is a
                              file of its own */
  int program, next;       /* indices: its program; the next part of the process, or -1 */
  int left_out;            /* 1: the part is skipped, because it is unreadable */
};

enum { PROCESS_SUMS = 5 }; /* number of kernel counters since the process began (usage.h) */

/* A process of the run. Times are nanoseconds since the epoch; after tree_set_clocks they are on
 * the clock of the run's first host. Rows are those of the event file. */
struct run_process {
  int32_t pid, parent_pid;
  int parent; /* index of the parent process; -1: not in the run */
  int place;  /* index in places: its PID namespace and host */
  int64_t start_ns;
  int64_t end_ns, reaped_ns; /* its exit; when its parent waited for it; 0: unknown */
  enum process_end how;
  int status;    /* exit status or signal; -1: unknown */
  uint64_t job;  /* number of the MPI job of which the process is a rank */
  int job_ranks; /* ranks of this job; 0: no row names a job */
  int first_program, last_program, programs; /* indices in programs, or -1; their number */
  int first_part, last_part;                 /* indices in parts, or -1 */
  int rank, next_of_rank; /* its rank in the log, or -1; index of the rank's next process, or -1 */
  int64_t launch, world_rank,
      world_size;     /* struct launch: id, rank, size; launch 0: no launcher started the process */
  uint8_t told;       /* 1: the process has a START row */
  uint8_t spawned;    /* 1: its parent wrote a row about it */
  uint8_t execs;      /* 1: its next START row does not belong to a new process */
  uint8_t finished;   /* 1: the next START row with this pid belongs to a new process */
  uint8_t was_reaped; /* 1: a row says that its parent waited for it */
  int64_t sums[PROCESS_SUMS],
      sums_of_children[PROCESS_SUMS]; /* kernel counters of the process, with
      those of the children for which it waited; these children's alone */
  int64_t storage_start,
      storage_known;     /* storage bytes read before its programs began, and until they ended */
  uint8_t has_usage;     /* 1: a part of the process has a USAGE record */
  struct run_usage used; /* calls_*: at first the values of the parent when this process began */
  struct run_usage of_children; /* usage of the children for which it waited */
  int64_t late_read,
      late_written; /* storage bytes that are known only from the parts of its children */
  int64_t cpu_ns,   /* processor time, if was_used is 1 */
      given[2]; /* bytes that calls of the parent's other children had read and written when this
                   process began */
  uint8_t was_used, has_base; /* 1: `used` is from a row of the parent; 1: a row has the parent's
                                 counters at the begin of this process */
  uint8_t unseen;             /* reason why I/O was not recorded (enum run_unwatched) */
  uint8_t lost;               /* 1: its records are lost, according to a row */
  uint8_t unkept;             /* 1: it has no journal, so its records are lost if it is killed */
  uint8_t failed;             /* 1: it failed (ends.h) */
  uint8_t ended_unseen;       /* 1: no row has its end, and the run ended badly */
  int cause; /* depth in the chain that ended the run: 1 for the root process, 2 for the child that
                made it fail, and so on; 0: not in the chain */
};

struct run_place { /* a PID namespace of a host; a pid is unique in it. `place`: index in places */
  uint64_t pid_namespace;
  int ended; /* 1: process 1 ended, so the kernel kills all other processes */
  char host[RUN_HOST];
  int clock; /* index of the host's clock */
};

struct run_tree { /* all processes of a run; zeroed before its first use */
  struct run_process *processes;
  struct run_program *programs;
  struct run_part *parts;
  struct run_place *places;
  size_t num_processes, num_programs, num_parts, num_places;     /* elements of these lists */
  size_t room_processes, room_programs, room_parts, room_places; /* their capacities */
  struct map by_pid, by_token, by_fork; /* place and pid, or token of a fork -> process */
  struct map by_start;                  /* pid and start_ns -> program */
  struct clocks clocks;
};

/* Applies a row of the event file to `tree`, a struct run_tree. Called for the rows in the order of
 * events_read. Returns 0, or -1 if out of memory. */
int tree_take_row(void *tree, const struct run_event *event);
/* Adds a part or a journal. Called after all rows: for the parts in the order of their starts, then
 * for the journals. The tree then owns the journal's name. Returns 0, or -1 if out of memory. */
int tree_take_part(struct run_tree *tree, const struct run_part *part);
/* Converts the times of processes to the run's clock. Does not change the times of parts. Called
 * after all rows and parts. */
void tree_set_clocks(struct run_tree *tree);
/* Returns the nanoseconds to add to the times in a process's own parts; the sums are times of the
 * run's clock, which is the clock of the first host. Returns 0 unless the clock of the process's
 * host certainly differs. */
int64_t tree_behind(const struct run_tree *tree, const struct run_process *process);
/* Returns the index of the program that began at start_ns in a process with this pid; -1 if there
 * is none. */
int tree_program(const struct run_tree *tree, int32_t pid, int64_t start_ns);
void tree_free(struct run_tree *tree);

#endif
