/* Declares a process whose journal `darshan watch --export` reads (it is "followed"). Only the
 * files that find, read and end such processes include this file. */
#ifndef DARSHAN_EXPORT_FOLLOWED_PROCESS_H
#define DARSHAN_EXPORT_FOLLOWED_PROCESS_H

#include "followed.h"

struct followed_process {
  struct followed_process *next_inode, *next_identity; /* in the chains of both hash tables */
  dev_t device;
  ino_t inode;       /* of the file, plus the offset of a part in a packed file */
  uint64_t name;     /* hash of the file's name, because an inode number may be reused */
  uint64_t identity; /* hash of user, pid and start; 0: unknown */
  struct user *user;
  uint64_t cost;          /* bytes that the last look at the journal has read */
  double listed, changed; /* times when the file was last listed, and when a number last changed;
                             monotonic seconds */
  unsigned long listing;  /* number of the listing that last had the file */
  double retry;           /* time before which the file is not tried again, monotonic seconds */
  int tries;              /* number of failed attempts to read the file */
  struct open_journal {
    struct darshan_live live;
    struct tally tally;         /* its numbers by file system */
    struct alive_traces traces; /* what the journal says about its process */
    char job_id[24];            /* label of the sums; "none" without a scheduler */
  } * journal;                  /* NULL: the process has ended, or its journal is not read */
  int64_t pid;
  int has_job; /* 1: its job id comes from a scheduler */
};

/* Functions of followed-process.c, which has the table of processes. process_of_file returns the
 * process of a listed file; NULL if it is new. process_new adds a process for a new file, without a
 * journal; NULL if out of memory. name: hash of the file's name. */
struct followed_process *process_of_file(const struct followed *followed,
                                         const struct followed_file *file, uint64_t name);
struct followed_process *process_new(struct followed *followed, struct user *user,
                                     const struct followed_file *file, uint64_t name);
/* Sets the identity of the process, which is computed from user, pid and start. Returns the process
 * that had this identity before and now has none; NULL if no process had it. */
struct followed_process *process_identify(struct followed *followed,
                                          struct followed_process *process, int64_t pid,
                                          int64_t start_ns);
/* Ends followed->all[number] and removes it from the table. The last process gets its index. */
void process_forget(struct followed *followed, size_t number);

/* Reads the process's journal into its tally. Returns 0, or -1 if the journal is damaged or claims
 * more I/O than is possible. */
int process_look(struct followed *followed, struct followed_process *process);
/* Adds the increase of the process's numbers since the last call to the exported sums. Called after
 * process_look. */
void process_count(struct followed *followed, struct followed_process *process);
/* Closes the journal. The process stays in the table, so that its numbers are not counted a second
 * time. */
void process_end(struct followed *followed, struct followed_process *process);
/* Closes a file that cannot be counted, and adds it to followed->skipped[reason] when this happens
 * for the first time. The file is tried again up to six times, after 1, 2, 4 ... seconds. */
void process_skip(struct followed *followed, struct followed_process *process,
                  enum export_skipped reason);

#endif
