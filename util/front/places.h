/* Where a run finds the runtime and leaves its files.
 *
 * What its processes leave for the log of the run is in a folder of its own, and so are
 * their journals.  Logs that are written by themselves, as those of MPI jobs, go to
 * another one below the folder that the user named, and are moved up when the run is
 * over: that is how they are told from those of others that use the same folder at the
 * same time. */
#ifndef DARSHAN_FRONT_PLACES_H
#define DARSHAN_FRONT_PLACES_H

#include <limits.h>
#include <stddef.h>

#include "path-list.h"

struct places {
  char folder[PATH_MAX];   /* the user's; absolute */
  char logs[PATH_MAX];     /* of this run, below it */
  char journals[PATH_MAX]; /* of this run; empty: could not be made */
  int is_tree;             /* its processes are to join one log */
  int is_inner;            /* another run is around this one */
  int hold;                /* says that this process lives and will make the log; or -1 */
  char library[PATH_MAX];  /* what LD_PRELOAD is given; without blanks and colons */
  char named[PATH_MAX];    /* DARSHAN_LOGFILE, absolute; empty: not set */
  int named_before;        /* so many logs had that name, numbers included */
};

/* Makes the folders.  wanted: the user's folder, NULL: DARSHAN_LOGPATH, else
 * darshan-logs in the current folder.  0, or -1 with a message printed. */
int places_make(struct places *places, const char *wanted);

/* Environment of the application; to be called in its process. */
void places_announce(const void *places);
/* The same for a program that must run without the runtime. */
void places_leave_alone(const void *places);

/* Moves the logs that were written by themselves to the user's folder and lists them
 * there, and lists the journals that were left. */
void places_collect(const struct places *places, struct path_list *logs,
                    struct path_list *journals);
/* Removes the folders that are empty.  needed: a process that goes on uses them. */
void places_leave(struct places *places, int needed);
/* The folder that journals of all are in; empty: there is none of ours, or an outer run
 * has it. */
void places_around(const struct places *places, char out[PATH_MAX]);

/* Where the front of a run that is no more had its logs: a folder of its own (empty: it is
 * not there), and the one that it is in.  0, or -1: nobody may write there. */
int places_of_run(char own[PATH_MAX], char folder[PATH_MAX], const char *run);
/* That of its own goes, after logs of single processes have come out of it. */
void places_leave_own(const char *own, const char *folder);

/* Makes a folder and those above it that are missing.  Those whose path is longer than
 * shared_from are for all, as folders of days are, if the one above is.  0, or -1 with
 * errno set. */
int places_make_folders(const char *path, size_t shared_from);

/* Path of a program or library of this installation: beside this program, or,
 * installed, below `relative`.  0, or -1 if it is not there. */
int places_installed(char out[PATH_MAX], const char *name, const char *relative);

#endif
