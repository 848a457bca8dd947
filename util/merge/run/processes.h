/* The processes of a run, as its rows and parts tell of them (doc/runs.md). */
#ifndef DARSHAN_MERGE_PROCESSES_H
#define DARSHAN_MERGE_PROCESSES_H

#include "clocks.h"
#include "map.h"

enum process_end { /* as PROCESS_ENDED has it */
                   PROCESS_END_UNKNOWN,
                   PROCESS_EXITED,
                   PROCESS_SIGNALLED,
                   PROCESS_STILL_RAN
};

/* What a process was from a START to the next.  Lists of a process are linked by
 * number; -1 ends them. */
struct run_program {
  int64_t start_ns;
  int process, next;
  int forked;   /* 1: the image of its parent, until it becomes something else */
  int launcher; /* it starts the ranks of jobs, as it has said */
  char name[RUN_PROGRAM];
};

/* A log that a program left, or its journal. */
struct run_part {
  int64_t start_ns;
  int32_t pid;
  uint32_t number;
  char *journal; /* its name; NULL: part.PID.START.NUMBER */
  int program, next;
  int left_out; /* 1: it cannot be read */
};

enum { PROCESS_SUMS = 5 }; /* of what the kernel has added up since a process began (usage.h) */

struct run_process {
  int32_t pid, parent_pid;
  int parent; /* process; -1: not in the run */
  int place;
  int64_t start_ns;
  int64_t end_ns, reaped_ns; /* 0: nobody said */
  enum process_end how;
  int status; /* exit status or signal, -1: not known */
  uint64_t job;
  int job_ranks;
  int first_program, last_program, programs;
  int first_part, last_part;
  int rank, next_of_rank;
  int64_t launch, world_rank, world_size; /* as its launcher said; launch 0: nothing (world.h) */
  uint8_t told;                           /* it has spoken for itself */
  uint8_t spawned;                        /* its parent has spoken of it */
  uint8_t execs;                          /* its next START is that of the same process */
  uint8_t finished;                       /* a new START of this pid is another process */
  uint8_t was_reaped;
  int64_t sums[PROCESS_SUMS], sums_of_children[PROCESS_SUMS];
  int64_t storage_start, storage_known; /* bytes read before, and by, its programs so far */
  uint8_t has_usage;
  struct run_usage used;           /* of calls: what its parent had had when it began */
  struct run_usage of_children;    /* that it has waited for */
  int64_t late_read, late_written; /* storage: of children that only they themselves tell of */
  int64_t cpu_ns, given[2];        /* given: what its parent's calls had of others, then */
  uint8_t was_used, has_base;
  uint8_t unseen; /* enum run_unwatched */
  uint8_t lost;   /* its records, as it has said */
  uint8_t unkept; /* they are, if it was killed */
  uint8_t failed; /* ends.h */
  int cause;      /* 1: the top, whose failure is that of the run, 2: its child that it failed
                   * for, and so on; 0: not one of them */
};

struct run_place { /* where a pid means something */
  uint64_t pid_namespace;
  char host[RUN_HOST];
  int clock; /* of the run's clocks */
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

/* A row; context is the tree.  0, or -1: no memory. */
int tree_take_row(void *tree, const struct run_event *event);
/* A part, or a journal (whose name the tree then owns), in order of their starts; all rows
 * have been taken.  0 or -1. */
int tree_take_part(struct run_tree *tree, const struct run_part *part);
/* Brings the times of processes to one clock, of parts not: after all rows and parts. */
void tree_set_clocks(struct run_tree *tree);
/* Nanoseconds that are to be added to times that a process's own parts tell. */
int64_t tree_behind(const struct run_tree *tree, const struct run_process *process);
/* The program that began at this moment in a process of this pid (0: of any); -1: none. */
int tree_program(const struct run_tree *tree, int32_t pid, int64_t start_ns);
void tree_free(struct run_tree *tree);

#endif
