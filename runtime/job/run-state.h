/* The run that this process belongs to, whose processes share one log: what it knows of
 * it.  runtime/format/run.h says what lies in the run's folder, doc/runs.md how it works. */
#ifndef DARSHAN_RUN_STATE_H
#define DARSHAN_RUN_STATE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "config.h"
#include "run.h"

enum { RUN_ROOM = 384, RUN_PART_ROOM = RUN_ROOM + 64 };

struct run_state {
  char folder[RUN_ROOM]; /* absolute; empty: each process has a log of its own */
  pid_t top;             /* process id of the first; 0: the front makes the log */
  int has_peers;         /* several trees, and top is who launched them */
  int is_first;          /* named by this process: there is no folder before there are two */
  int is_login;          /* a shell that somebody sits at, each of whose commands is a run */
  int joined;            /* the folder is there, and knows of this program */
  int left;              /* ... and that the process has ended */
  int parts;             /* that this process has written */
  uint64_t names;        /* the namespace of process ids */
  char host[RUN_HOST];
  char events[RUN_PART_ROOM], closed[RUN_PART_ROOM]; /* files in the folder */
  char part[RUN_PART_ROOM]; /* what its finished records are called; empty: a log */
};
extern struct run_state run_state __attribute__((visibility("hidden")));

/* Decides, at start, by the environment that the program is about to see: in the top of
 * a run its entry is replaced, so that all descendants find the run by it.  0: not even
 * this process is to be recorded, because its run is not in the sample. */
int run_find(const struct darshan_config *config, int argc, char **argv, char **envp);

/* In a forked child: where it is, anew, and if its parent is a login, a run of its own. */
void run_find_forked(const struct darshan_config *config, pid_t self);

/* Which host and PID namespace this is, now. */
void run_know_place(void);

/* 1: a program that this process becomes finds this run by such a value of the variable. */
int run_is_found_by(const char *value);

#endif
