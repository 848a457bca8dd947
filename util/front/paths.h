/* The paths of a run: where it finds the runtime and where it leaves files.
 *
 * The run directory has the journals of the run's processes, and their parts of the run's log. Logs
 * of single processes and of MPI jobs go to another folder below the user's folder, and are moved
 * up at the end of the run. So they are not confused with the logs of other runs that use the
 * user's folder at the same time. */
#ifndef DARSHAN_FRONT_PATHS_H
#define DARSHAN_FRONT_PATHS_H

#include <limits.h>
#include <stddef.h>

#include "path-list.h"

/* 1: the runtime records call sites. */
enum places_sites {
  PLACES_SITES_AS_SET, /* if DARSHAN_SITES or the configuration says so */
  PLACES_SITES_UNLESS, /* unless DARSHAN_SITES says otherwise */
  PLACES_SITES,
  PLACES_NO_SITES
};

struct places {
  char folder[PATH_MAX];   /* the user's folder, absolute */
  char logs[PATH_MAX];     /* folder of this run's own logs, below it */
  char journals[PATH_MAX]; /* run directory; empty: could not be made */
  int is_tree;             /* the processes leave parts for one log */
  int is_inner;            /* this run is within another run */
  int hold;                /* descriptor of the lock of the process that will make the log; or -1 */
  char library[PATH_MAX];  /* path in LD_PRELOAD, without blanks and colons */
  char named[PATH_MAX];    /* DARSHAN_LOGFILE, absolute; empty: not set */
  enum places_sites sites;
  int named_before; /* logs with that name, numbered ones included, before the run */
};

/* Makes the folders. wanted: the user's folder; NULL: DARSHAN_LOGPATH, else darshan-logs in the
 * current folder. Returns 0, or -1 after a message. */
int places_make(struct places *places, const char *wanted);

/* Sets the environment of the application; called in its process. */
void places_announce(const void *places);
/* Removes the runtime from LD_PRELOAD, for a program that must run without it. */
void places_leave_alone(const void *places);

/* Moves the logs of single processes and MPI jobs to the user's folder and lists them. Also lists
 * the remaining journals. */
void places_collect(const struct places *places, struct path_list *logs,
                    struct path_list *journals);
/* Removes empty folders. needed: a process that still runs uses them. */
void places_leave(struct places *places, int needed);
/* Writes the folder of all run directories; "" if this run has no run directory, or is within
 * another run. */
void places_around(const struct places *places, char out[PATH_MAX]);

/* Finds the folders in which an ended `darshan run` put its logs: its own folder ("" if it does not
 * exist), and the parent of that folder. Returns 0, or -1 if the parent is unknown or not
 * writable. */
int places_of_run(char own[PATH_MAX], char folder[PATH_MAX], const char *run);
/* Moves the logs of single processes out of a run's own folder and removes it. */
void places_leave_own(const char *own, const char *folder);

/* Makes a folder and its missing parents. Folders whose path is longer than shared_from, for
 * example those of days, become writable for all if their parent is. Returns 0, or -1 with errno
 * set. */
int places_make_folders(const char *path, size_t shared_from);

/* Finds a program or library of this installation: in the folder of this program, or below
 * `relative` of it. Returns 0, or -1 if it does not exist. */
int places_installed(char out[PATH_MAX], const char *name, const char *relative);
/* Prints that places_installed() did not find this file, and advice. */
void places_say_missing(const char *name);

#endif
