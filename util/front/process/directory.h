/* The run directory (runtime/format/run.h), as far as the `darshan` command needs it: which
 * processes still live, and whether there is a log to make. */
#ifndef DARSHAN_FRONT_DIRECTORY_H
#define DARSHAN_FRONT_DIRECTORY_H

#include <limits.h>

#include "../../parser/id-table.h"
#include "../../runs/alive.h"
#include "../path-list.h"
#include "child.h"

struct tree_process {
  struct alive_traces traces;
  int64_t seen_ns;
  int starts; /* number of its START rows */
  int ended, is_rank;
  int is_launcher; /* its last program is a launcher */
};

struct tree {
  char path[PATH_MAX];
  struct id_table processes;
  size_t rows;
  struct alive_traces parent; /* the uninstrumented launcher of several root processes */
  struct path_list parts;
  struct path_list journals; /* of processes that live or were killed */
  int has_pack;              /* parts in the file that processes share */
  int is_closed;
  int has_others; /* a process forked or started another one, which may not have written rows yet */
  int has_unwatched; /* a process is, or became, a program that leaves no records */
  int strange;       /* other files, for example of a killed merger */
  unsigned own;      /* a bit for each kind of file that tree_discard removes */
};

/* The name of a link to the runtime in the run directory, if the runtime's own path has a blank. */
#define TREE_LIBRARY "libdarshan.so"

/* Reads the run directory at path: its rows, parts and journals. Returns 0, or -1 if it cannot be
 * read. tree_free is needed in both cases. */
int tree_read(struct tree *folder, const char *path);
void tree_free(struct tree *folder);

/* Marks the run as closed, so that processes that begin later leave logs of their own. Returns 0 or
 * -1. */
int tree_close(const struct tree *folder);

/* Returns 1 if there is nothing to make a log from. */
int tree_is_empty(const struct tree *folder);

/* Returns for how many processes of the run, including the launcher, there is no end in the rows,
 * and alive_process returns this answer. */
size_t tree_alive(const struct tree *folder, const struct alive_here *here,
                  enum alive_answer answer);
/* Returns 1 if each process except `but` has ended according to its rows. */
int tree_has_ended(const struct tree *folder, pid_t but);
/* Returns the number of instrumented processes that still run, except `but`. */
size_t tree_running(const struct tree *folder, const struct alive_here *here, pid_t but);

/* Writes a row with the exit status and resource usage of the root process, which only this process
 * knows. */
void tree_reaped(const struct tree *folder, const struct child_end *end);
/* Writes a row with the end and the command of the root process if it was not, or not completely,
 * instrumented. */
void tree_unwatched(struct tree *folder, const struct child_end *end, const char *command);

/* Takes a shared lock on the run directory's event file, which it creates if necessary. The lock
 * shows that this process lives and will make the log. Returns the descriptor with the lock, or -1
 * if the file cannot be opened or is locked exclusively. */
int tree_hold(const char *path);
/* Returns 1 if a process holds that lock. */
int tree_is_held(const char *path);

/* Removes a run directory unless it still has parts, journals or other files, or is held. */
void tree_discard(const char *path);

#endif
