/* The processes of a run, made from the event file's rows and from the parts (doc/runs.md). */
#ifndef DARSHAN_MERGE_PROCESSES_H
#define DARSHAN_MERGE_PROCESSES_H

#include "../records/bytes.h"
#include "run.h"

/* The clock differences between the hosts of a run. The rows of the event file are in the order in
 * which they were written. A row of host B after a row of host A was written later, whatever B's
 * clock says. So each pair of rows bounds the difference from one side. */

enum { CLOCKS_MOST = 256 }; /* hosts; further ones are not compared */

struct host_clock {
  char host[RUN_HOST];
  int64_t latest;    /* latest time in its rows so far */
  int64_t low, high; /* bounds of the correction of its times, nanoseconds */
};

struct clocks { /* zeroed before its first use; the first host has the run's clock */
  struct host_clock host[CLOCKS_MOST];
  int count, more; /* more 1: there are further hosts */
};

/* Takes the next row. Returns the number of its host, or CLOCKS_MOST if the table is full. */
int clocks_take(struct clocks *clocks, const struct run_event *event);
/* Returns the nanoseconds to add to times of this host: 0 unless its clock certainly differs. */
int64_t clocks_behind(const struct clocks *clocks, int host);
/* Returns the error bound of the corrected times in nanoseconds, or -1 if it is not known. */
int64_t clocks_error(const struct clocks *clocks, int host);

enum process_end { /* values of PROCESS_ENDED */
                   PROCESS_END_UNKNOWN,
                   PROCESS_EXITED,
                   PROCESS_SIGNALLED,
                   PROCESS_STILL_RAN
};

/* The time of a process between two START rows. Indices link the programs of a process; -1 ends the
 * list. */
struct run_program {
  int64_t start_ns;
  int process, next;
  int forked;   /* 1: runs the parent's program, until the first exec */
  int launcher; /* it starts the ranks of jobs, according to its START row */
  char name[RUN_PROGRAM];
};

/* The log or the journal that a program left. */
struct run_part {
  int64_t start_ns;
  int32_t pid;
  uint32_t number;
  char *journal;           /* its name; NULL: part.PID.START.NUMBER */
  uint64_t packed, length; /* place in the file of small parts; length 0: it is a file */
  int program, next;
  int left_out; /* 1: it is unreadable */
};

enum { PROCESS_SUMS = 5 }; /* kernel counters since the process began (usage.h) */

struct run_process {
  int32_t pid, parent_pid;
  int parent; /* index of a process; -1: not in the run */
  int place;
  int64_t start_ns;
  int64_t end_ns, reaped_ns; /* 0: not known */
  enum process_end how;
  int status; /* exit status or signal; -1: not known */
  uint64_t job;
  int job_ranks;
  int first_program, last_program, programs;
  int first_part, last_part;
  int rank, next_of_rank;
  int64_t launch, world_rank, world_size; /* launch 0: no launcher (launch-ranks.h) */
  uint8_t told;                           /* it has a START row */
  uint8_t spawned;                        /* its parent wrote a row about it */
  uint8_t execs;                          /* its next START row is not of a new process */
  uint8_t finished;                       /* the next START row with this pid is of a new process */
  uint8_t was_reaped;
  int64_t sums[PROCESS_SUMS], sums_of_children[PROCESS_SUMS];
  int64_t storage_start, storage_known; /* bytes read before its programs, until their end */
  uint8_t has_usage;
  struct run_usage used;        /* calls_*: at first the parent's values when this process began */
  struct run_usage of_children; /* of the children that it waited for */
  int64_t late_read, late_written; /* storage bytes that are known only from the children's parts */
  int64_t cpu_ns, given[2]; /* given: calls of the parent's other children when this one began */
  uint8_t was_used, has_base;
  uint8_t unseen;       /* enum run_unwatched */
  uint8_t lost;         /* its records are lost, according to a row */
  uint8_t unkept;       /* it has no journal: if it is killed, its records are lost */
  uint8_t failed;       /* ends.h */
  uint8_t ended_unseen; /* no row has its end, and the run did not end well */
  int cause; /* depth in the chain that ended the run: 1 for the root process, 2 for the child that
                made it fail, and so on; 0: not in the chain */
};

struct run_place { /* where a pid is unique */
  uint64_t pid_namespace;
  int ended; /* process 1 ended, so the kernel kills all others */
  char host[RUN_HOST];
  int clock; /* index of the host's clock */
};

struct run_tree { /* zeroed before its first use */
  struct run_process *processes;
  struct run_program *programs;
  struct run_part *parts;
  struct run_place *places;
  size_t num_processes, num_programs, num_parts, num_places;
  size_t room_processes, room_programs, room_parts, room_places;
  struct map by_pid, by_token, by_fork, by_start;
  struct clocks clocks;
};

/* Takes a row; `tree` is a struct run_tree. Returns 0, or -1 if out of memory. */
int tree_take_row(void *tree, const struct run_event *event);
/* Takes a part or a journal, in order of their starts, after all rows. The tree then owns the
 * journal's name. Returns 0, or -1 if out of memory. */
int tree_take_part(struct run_tree *tree, const struct run_part *part);
/* Converts the times of processes, but not of parts, to the run's clock. Called after all rows and
 * parts. */
void tree_set_clocks(struct run_tree *tree);
/* Returns the nanoseconds to add to the times in a process's own parts to get times of the run's
 * clock, that of the first host; 0 unless the clock of the process's host certainly differs. */
int64_t tree_behind(const struct run_tree *tree, const struct run_process *process);
/* Returns the program that began at start_ns in a process with this pid, -1 if there is none. */
int tree_program(const struct run_tree *tree, int32_t pid, int64_t start_ns);
void tree_free(struct run_tree *tree);

#endif
