/* The processes of this node whose journals are read, and the sums that they belong to. No process
 * counts twice: a journal that moves, is rewritten, or becomes a part of a run belongs to one
 * process, known by its user, number and start. */
#ifndef DARSHAN_EXPORT_FOLLOWED_H
#define DARSHAN_EXPORT_FOLLOWED_H

#include "../../runs/alive.h"
#include "sums.h"
#include "tally.h"
#include "users.h"
#include <stdint.h>
#include <sys/types.h>

enum export_skipped {                     /* why a file does not count, or not now */
                      SKIPPED_UNREADABLE, /* damaged, of another user, or with impossible values */
                      SKIPPED_DEAD,       /* the process had ended before it was seen */
                      SKIPPED_LIMIT,      /* too many files of this user, or in all */
                      SKIPPED_REASONS
};
extern const char *const export_skipped_names[SKIPPED_REASONS];

struct followed_process;
enum { FOLLOWED_CHAINS = 1 << 14 };

struct followed {
  struct followed_process **all;
  size_t count;
  struct followed_process **by_inode, **by_identity; /* heads of chains */
  struct users users;
  struct sums sums;
  struct darshan_live_room room;
  struct alive_here here;
  size_t held, held_most; /* open journals */
  uint64_t skipped[SKIPPED_REASONS];
  size_t next_large;     /* large journals are read in turn */
  double large_until;    /* no large journal is read before */
  double large_cost;     /* processor seconds that they took in this look */
  double now;            /* seconds, monotonic */
  unsigned long listing; /* number of the last listing of all folders */
};

/* A file that a listing has found; name: without its folder, which is open as `folder`. */
struct followed_file {
  int folder;
  const char *name;
  uint64_t at, length; /* of a part in a file of small parts; length 0: the file is the part */
  ino_t inode;
  dev_t device; /* device of the folder; files on another device are not from the runtime */
  int only_own; /* 1: only files of this user count */
  int is_part;  /* of a run: complete, read once */
  int64_t pid, start_ns; /* of a part, by its name */
};

/* Prepares an empty table; limit: the largest number of exported sums. Returns 0, or -1 if out of
 * memory. */
int followed_init(struct followed *followed, size_t limit);
void followed_free(struct followed *followed);

/* Begins a look at time `now` (seconds). lists: 1 if followed_found is called for all files before
 * followed_read. */
void followed_begin_look(struct followed *followed, double now, int lists);
/* Called for each listed file: recognizes its process, or opens a new one. */
void followed_found(struct followed *followed, const struct followed_file *file);
/* Reads the journals, adds their increase to the sums, and ends processes that have exited. */
void followed_read(struct followed *followed);

/* Passes the journals of a folder and of its run directories to followed_found, of this user or, if
 * this is root, of all. No link inside the folder is followed. Returns 0, or -1 with errno set if
 * the folder cannot be read. */
int listing_find(struct followed *followed, const char *folder);

struct file_status {
  mode_t mode;
  uid_t owner;
  uint64_t inode;
  dev_t device;
};

/* Stores the status of a name in an open folder as the kernel has it in memory: sends no request to
 * a file server or to a file system in user space, which may hang. Follows no link and mounts
 * nothing. Returns 0, or -1 with errno set. */
int file_status(int folder, const char *name, struct file_status *status);

#endif
