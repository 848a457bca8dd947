/* The run that this process belongs to; processes of a run share one log. runtime/format/run.h
 * lists the files of the run directory, doc/runs.md explains how a run works. */
#ifndef DARSHAN_RUN_STATE_H
#define DARSHAN_RUN_STATE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "config/config.h"
#include "run.h"

/* Bytes of the path of a run directory, and of a file in it, with the NUL. */
enum { RUN_ROOM = 384, RUN_PART_ROOM = RUN_ROOM + 64 };

struct run_state {
  char folder[RUN_ROOM]; /* absolute; empty: each process has a log of its own */
  pid_t top;             /* pid of the root process; 0: the `darshan` command makes the log */
  int has_peers; /* 1: the run has several process trees; top is the launcher that started them */
  int is_first;  /* 1: this process named the run; the folder is made when a second process needs it
                  */
  int is_login;  /* a shell at a terminal, each of whose commands is a run */
  int joined;    /* 1: the event file has this program's START row */
  int left;      /* 1: the event file has this process's END row */
  int parts;     /* number of parts that this process has written */
  uint64_t names; /* inode of the PID namespace */
  char host[RUN_HOST];
  int is_first_row; /* 1: the START row of this process is the first row of the run */
  char events[RUN_PART_ROOM], closed[RUN_PART_ROOM],
      packed[RUN_PART_ROOM]; /* paths of these files of the run */
  char part[RUN_PART_ROOM];  /* path of the part that is written at the end; empty: the process
                                writes a log */
};
extern struct run_state run_state __attribute__((visibility("hidden")));

/* Called at the start, with main's arguments: finds or names the run by the environment that the
 * application is about to see. In the root process, replaces the entry of the environment, so that
 * all descendants find the run. Returns 1, or 0 if this process must not record, because its run is
 * not in the sample. */
int run_find(const struct darshan_config *config, int argc, char **argv, char **envp);

/* Called in a forked child, whose pid is `self`. Reads the host and PID namespace again, and names
 * a new run if the parent is a login shell. */
void run_find_forked(const struct darshan_config *config, pid_t self);

/* Returns the inode of this process's PID namespace, which tells to which namespace a pid belongs;
 * 0 if /proc does not tell it. */
uint64_t pid_namespace(void);

/* Stores the current host and PID namespace in run_state. */
void run_know_place(void);

/* Returns 1 if a program that this process starts with this value of DARSHAN_ENABLE_NONMPI joins
 * this run, otherwise 0. */
int run_is_found_by(const char *value);

#endif
