/* Declares the table of the processes on this node whose journals are read ("followed"), and the
 * sums to which their numbers are added. No process is counted twice: a journal that is moved or
 * rewritten, or becomes a part of a run, belongs to one process, which is known by its user, pid
 * and start. */
#ifndef DARSHAN_EXPORT_FOLLOWED_H
#define DARSHAN_EXPORT_FOLLOWED_H

#include "../../runs/alive.h"
#include "sums.h"
#include "tally.h"
#include "users.h"
#include <stdint.h>
#include <sys/types.h>

enum export_skipped {                     /* why a file is not counted, or not yet */
                      SKIPPED_UNREADABLE, /* damaged, of another user, or with impossible values */
                      SKIPPED_DEAD,       /* the process had ended before its file was found */
                      SKIPPED_LIMIT,      /* too many files of this user, or in all */
                      SKIPPED_REASONS
};
extern const char *const export_skipped_names[SKIPPED_REASONS]; /* for the exported text */

struct followed_process;
enum { FOLLOWED_CHAINS = 1 << 14 }; /* size of each hash table */

struct followed {
  struct followed_process **all;
  size_t count;                                      /* number of processes in all */
  struct followed_process **by_inode, **by_identity; /* heads of the chains of both hash tables */
  struct users users;                                /* their owners */
  struct sums sums;                                  /* the exported sums */
  struct darshan_live_room room;                     /* buffers for reading a journal */
  struct alive_here here;                            /* this host, at the begin of the look */
  size_t held, held_most;                            /* number of open journals, and its limit */
  uint64_t skipped[SKIPPED_REASONS];                 /* number of files skipped so far, by reason */
  size_t next_large;     /* index of the large journal that is read next */
  double large_until;    /* time before which no large journal is read, monotonic seconds */
  double large_cost;     /* processor time that large journals took in this look, in seconds */
  double now;            /* time of the look, in monotonic seconds */
  unsigned long listing; /* number of the last listing of all folders */
};

/* A file that a listing has found. name: relative to `folder`, the open descriptor of its
 * folder. */
struct followed_file {
  int folder;
  const char *name;
  uint64_t at, length; /* range of a part in a packed file; length 0: the file is the part */
  ino_t inode;
  dev_t device; /* device of the folder; a file on another device is not from the runtime */
  int only_own; /* 1: only files of this user are counted */
  int is_part;  /* 1: a part of a run, which is complete and is read once */
  int64_t pid, start_ns; /* those in a part's name */
};

/* Makes an empty table, and raises this process's limit of open files. limit: the largest number of
 * exported sums. Returns 0, or -1 if out of memory. */
int followed_init(struct followed *followed, size_t limit);
/* Ends all processes and frees the table. */
void followed_free(struct followed *followed);

/* Begins a look at time `now` (monotonic seconds). lists: 1 if followed_found will be called for
 * all files before followed_read; 0 if only known journals are read. */
void followed_begin_look(struct followed *followed, double now, int lists);
/* Called for each listed file: finds its process, or adds a new one and opens its journal. If the
 * owner's limits of a look are reached, leaves the file to a later look. */
void followed_found(struct followed *followed, const struct followed_file *file);
/* Reads the journals, adds their increase to the sums, and ends processes that have exited. */
void followed_read(struct followed *followed);

/* Calls followed_found for the journals in a folder and in its run directories: those of this user
 * or, if this is root, of all users. Follows no link in the folder. Returns 0, or -1 with errno set
 * if the folder cannot be read. */
int listing_find(struct followed *followed, const char *folder);

struct file_status { /* members as in struct stat */
  mode_t mode;
  uid_t owner;
  uint64_t inode;
  dev_t device;
};

/* Stores the status of a name in an open folder, as the kernel has it in memory: sends no request
 * to a file server or to a file system in user space, which may hang. Follows no link and mounts
 * nothing. Returns 0, or -1 with errno set. */
int file_status(int folder, const char *name, struct file_status *status);

#endif
