/* Finds the runtime for a run of `darshan run` or `darshan stat`, and makes and removes the folders
 * for its files.
 *
 * The run directory has the journals of the run's processes, and their parts of the run's log. Logs
 * of single processes and of MPI jobs are first written to another folder below the user's folder,
 * and are moved up at the end of the run. This separates them from the logs of other runs that use
 * the user's folder at the same time. */
#ifndef DARSHAN_FRONT_PATHS_H
#define DARSHAN_FRONT_PATHS_H

#include <limits.h>
#include <stddef.h>

#include "path-list.h"

/* Decides whether the runtime records call sites. */
enum places_sites {
  PLACES_SITES_AS_SET, /* if DARSHAN_SITES or the configuration requests it */
  PLACES_SITES_UNLESS, /* unless DARSHAN_SITES is 0 */
  PLACES_SITES,
  PLACES_NO_SITES
};

struct places {
  char folder[PATH_MAX];   /* the user's folder, absolute */
  char logs[PATH_MAX];     /* folder of this run's own logs, in the user's folder */
  char journals[PATH_MAX]; /* run directory; empty: it could not be made */
  int is_tree;             /* 1: the processes write parts of one log */
  int is_inner;            /* 1: this run is within another run */
  int hold; /* descriptor whose lock shows that this process will make the log; or -1 */
  char library[PATH_MAX]; /* path for LD_PRELOAD, without blanks and colons */
  char named[PATH_MAX];   /* DARSHAN_LOGFILE, absolute; empty: not set */
  enum places_sites sites;
  int named_before; /* number of logs with that name, including numbered ones, before the run */
};

/* Finds the runtime and makes the folders; fills *places except `sites`. wanted: the user's folder;
 * NULL: DARSHAN_LOGPATH or, if that is not set, darshan-logs in the current folder. Returns 0, or
 * -1 after a message. */
int places_make(struct places *places, const char *wanted);

/* For child_run, which calls one of them in the application's process before exec: places_announce
 * sets the environment that makes the runtime record; places_leave_alone removes the runtime from
 * LD_PRELOAD, for a program that must run without it. places: a struct places. */
void places_announce(const void *places);
void places_leave_alone(const void *places);

/* Moves the logs of single processes and MPI jobs to the user's folder and stores their paths in
 * *logs; a log that cannot be moved is listed where it is. Stores the paths of the journals that
 * remain in the run directory in *journals. The caller frees both lists. */
void places_collect(const struct places *places, struct path_list *logs,
                    struct path_list *journals);
/* Removes the folders of the run that are empty, and releases the lock places->hold. needed: 1 if a
 * process that still runs needs the folder for logs and the links to the runtime, which then
 * remain. */
void places_leave(struct places *places, int needed);
/* Writes the folder that contains all run directories; "" if this run has no run directory, or is
 * within another run. */
void places_around(const struct places *places, char out[PATH_MAX]);

/* Finds the folders in which a `darshan run` that has ended wrote its logs: its own folder ("" if
 * it does not exist), and the parent of that folder. run: path of its run directory. Returns 0, or
 * -1 if the parent is unknown or not writable. */
int places_of_run(char own[PATH_MAX], char folder[PATH_MAX], const char *run);
/* Moves the logs of single processes from a run's own folder (`own`) to `folder`, and removes `own`
 * if it is empty then. */
void places_leave_own(const char *own, const char *folder);

/* Makes a folder and its missing parents. Folders whose path is longer than shared_from, such as
 * those of days, become writable for all users if their parent is. Returns 0, or -1 with errno
 * set. */
int places_make_folders(const char *path, size_t shared_from);

/* Writes the path of a program or library of this installation: in the folder of this program, or
 * in the folder `relative` to that. Returns 0, or -1 if it does not exist or cannot be read. */
int places_installed(char out[PATH_MAX], const char *name, const char *relative);
/* Prints that places_installed() did not find this file, and what to do. */
void places_say_missing(const char *name);

#endif
