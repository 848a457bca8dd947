/* The run directory (runtime/format/run.h) for the `darshan` command: which processes still live,
 * and whether a log can be made. */
#ifndef DARSHAN_FRONT_DIRECTORY_H
#define DARSHAN_FRONT_DIRECTORY_H

#include <limits.h>

#include "../../parser/id-table.h"
#include "../../runs/alive.h"
#include "../path-list.h"
#include "child.h"

struct tree_process { /* a process, according to the rows of the event file */
  struct alive_traces traces;
  int64_t seen_ns; /* time of its last row, since the epoch */
  int starts;      /* number of its START rows */
  int ended;       /* 1: a row has its end */
  int is_rank;     /* 1: a row says that it is a rank of an MPI job */
  int is_launcher; /* 1: its last program is a launcher */
};

struct tree { /* the content of a run directory */
  char path[PATH_MAX];
  struct id_table processes; /* hash of pid, PID namespace and host -> struct tree_process */
  size_t rows;               /* number of rows */
  struct alive_traces
      parent;                /* the launcher of several root processes, which is not instrumented */
  struct path_list parts;    /* paths of the parts that are files of their own */
  struct path_list journals; /* those of processes that live or were killed */
  int has_pack;              /* 1: there are parts in the packed file */
  int is_closed;             /* 1: the run has its log, or needs none (file `closed`) */
  int has_others;    /* 1: a process started another one, which may not have written rows yet */
  int has_unwatched; /* 1: a process is, or has become, a program that leaves no records */
  int strange;       /* number of other files, for example of a merger that was killed */
  unsigned own;      /* a bit for each kind of file that tree_discard removes */
};

/* Name of a link in the run directory to the runtime; made if the runtime's own path has a blank or
 * a colon. */
#define TREE_LIBRARY "libdarshan.so"

/* Reads the run directory at path into *folder: its rows, parts and journals. Returns 0, or -1 if
 * it cannot be read. tree_free is needed in both cases. */
int tree_read(struct tree *folder, const char *path);
void tree_free(struct tree *folder);

/* Marks the run as closed, so that processes that begin later leave logs of their own. Returns 0,
 * or -1 if the file that marks it cannot be made. */
int tree_close(const struct tree *folder);

/* Returns 1 if the run directory has no parts, no journals and no files of unknown kind, otherwise
 * 0. */
int tree_is_empty(const struct tree *folder);

/* Returns the number of processes of the run, including an uninstrumented launcher
 * (folder->parent), whose end is not in the rows and for which alive_process returns `answer`. */
size_t tree_alive(const struct tree *folder, const struct alive_here *here,
                  enum alive_answer answer);
/* Returns 1 if each process except the one with pid `but` has ended according to its rows,
 * otherwise 0. */
int tree_has_ended(const struct tree *folder, pid_t but);
/* Returns the number of instrumented processes that certainly still run, except the one with pid
 * `but`. */
size_t tree_running(const struct tree *folder, const struct alive_here *here, pid_t but);

/* Writes a row with the exit status and resource usage of the root process, which only its parent,
 * this process, knows. */
void tree_reaped(const struct tree *folder, const struct child_end *end);
/* If the root process was not instrumented, or not completely: writes a row with its start, its
 * command and the reason, and sets folder->has_unwatched. Otherwise does nothing. */
void tree_unwatched(struct tree *folder, const struct child_end *end, const char *command);

/* Takes a shared lock on the run directory's event file, which is created if necessary. The lock
 * shows that this process lives and will make the log. Returns the descriptor with the lock, or -1
 * if the file cannot be opened or another process has an exclusive lock. */
int tree_hold(const char *path);
/* Returns 1 if a process holds the lock of tree_hold, otherwise 0. */
int tree_is_held(const char *path);

/* Removes a run directory unless it still has parts, journals or other files, or a process holds
 * its lock. */
void tree_discard(const char *path);

#endif
