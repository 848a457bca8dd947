/* Where a run finds the runtime and leaves its files.
 *
 * The logs of a run are written to a folder of their own below the folder that
 * the user named, and moved up when the run is over: that is how they are told
 * from those of others that use the same folder at the same time.  The journals
 * get a folder of their own, too. */
#ifndef DARSHAN_FRONT_PLACES_H
#define DARSHAN_FRONT_PLACES_H

#include <limits.h>
#include <stddef.h>

struct places {
  char folder[PATH_MAX];   /* the user's; absolute */
  char logs[PATH_MAX];     /* of this run, below it */
  char journals[PATH_MAX]; /* of this run; empty: could not be made */
  char library[PATH_MAX];  /* what LD_PRELOAD is given; without blanks and colons */
  char named[PATH_MAX];    /* DARSHAN_LOGFILE, absolute; empty: not set */
  int named_before;        /* so many logs had that name, numbers included */
};

struct path_list {
  char **paths; /* by name; logs that the user named come first */
  size_t count;
};

/* Makes the folders.  wanted: the user's folder, NULL: DARSHAN_LOGPATH, else
 * darshan-logs in the current folder.  0, or -1 with a message printed. */
int places_make(struct places *places, const char *wanted);

/* Environment of the application; to be called in its process. */
void places_announce(const void *places);
/* The same for a program that must run without the runtime. */
void places_leave_alone(const void *places);

/* Moves the logs of the run to the user's folder and lists them there; lists
 * the journals that were left; removes the folders that are empty. */
void places_collect(const struct places *places, struct path_list *logs,
                    struct path_list *journals);
void path_list_add(struct path_list *list, const char *path);
void path_list_free(struct path_list *list);

/* Makes a folder and those above it that are missing.  0, or -1 with errno set. */
int places_make_folders(const char *path);

/* Path of a program or library of this installation: beside this program, or,
 * installed, below `relative`.  0, or -1 if it is not there. */
int places_installed(char out[PATH_MAX], const char *name, const char *relative);

#endif
