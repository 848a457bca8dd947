/* A process whose journal is read. For the files that find, read and end processes. */
#ifndef DARSHAN_EXPORT_FOLLOWED_PROCESS_H
#define DARSHAN_EXPORT_FOLLOWED_PROCESS_H

#include "followed.h"

struct followed_process {
  struct followed_process *next_inode, *next_identity;
  dev_t device;
  ino_t inode;
  uint64_t name;     /* hash of the file's name, because an inode number may be reused */
  uint64_t identity; /* hash of user, pid and start; 0: unknown */
  struct user *user;
  uint64_t cost;          /* bytes that the last look at the journal has read */
  double listed, changed; /* times when the file was last listed, and when a number last changed */
  unsigned long listing;  /* number of the listing that last had the file */
  double retry;           /* time before which the file is not tried again */
  int tries;
  struct open_journal {
    struct darshan_live live;
    struct tally tally;
    struct alive_traces traces;
    char job_id[24];
  } * journal; /* NULL: the process has ended, or its journal is not read */
  int64_t pid;
  int has_job; /* 1: its job id comes from a scheduler */
};

/* Functions of followed-process.c, which has the table of processes. process_of_file returns the
 * process of a listed file; NULL if it is new. */
struct followed_process *process_of_file(const struct followed *followed,
                                         const struct followed_file *file, uint64_t name);
struct followed_process *process_new(struct followed *followed, struct user *user,
                                     const struct followed_file *file, uint64_t name);
/* Sets the identity of the process, which is computed from user, pid and start. Returns the process
 * that had this identity before and now has none; NULL if no process had it. */
struct followed_process *process_identify(struct followed *followed,
                                          struct followed_process *process, int64_t pid,
                                          int64_t start_ns);
void process_forget(struct followed *followed, size_t number);

/* Reads the process's journal. Returns 0, or -1 if the journal is damaged or claims more I/O than
 * is possible. */
int process_look(struct followed *followed, struct followed_process *process);
/* Adds the increase since the last call, which process_look has found, to the sums. */
void process_count(struct followed *followed, struct followed_process *process);
/* Closes the journal. The process stays in the table, so that its numbers are not counted a second
 * time. */
void process_end(struct followed *followed, struct followed_process *process);
/* Closes a file that cannot be counted, and adds it to followed->skipped[reason] when this happens
 * for the first time. The file is tried again up to six times, after 1, 2, 4 ... seconds. */
void process_skip(struct followed *followed, struct followed_process *process,
                  enum export_skipped reason);

#endif
