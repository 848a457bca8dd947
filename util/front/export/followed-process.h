/* A process whose journal is read, for the files that find, read and end processes. */
#ifndef DARSHAN_EXPORT_FOLLOWED_PROCESS_H
#define DARSHAN_EXPORT_FOLLOWED_PROCESS_H

#include "followed.h"

struct followed_process {
  struct followed_process *next_inode, *next_identity;
  dev_t device;
  ino_t inode;
  uint64_t name;     /* hash of the file's name: an inode number may come back */
  uint64_t identity; /* 0: not known */
  struct user *user;
  uint64_t cost;          /* bytes that the last look at the journal has read */
  double listed, changed; /* when the file was listed last, and when a number changed */
  unsigned long listing;  /* the number of that listing */
  double retry;           /* not before */
  int tries;
  struct open_journal {
    struct darshan_live live;
    struct tally tally;
    struct alive_traces traces;
    char job_id[24];
  } * journal; /* NULL: it has ended, or is not read */
  int64_t pid;
  int has_job; /* its job id comes from a scheduler */
};

/* followed-process.c: the table. Returns the process of a listed file; NULL if it is new. */
struct followed_process *process_of_file(const struct followed *followed,
                                         const struct followed_file *file, uint64_t name);
struct followed_process *process_new(struct followed *followed, struct user *user,
                                     const struct followed_file *file, uint64_t name);
/* Gives the process its identity, which consists of user, pid and start. Returns the process that
 * had this identity before and has none now, or NULL. */
struct followed_process *process_identify(struct followed *followed,
                                          struct followed_process *process, int64_t pid,
                                          int64_t start_ns);
void process_forget(struct followed *followed, size_t number);

/* Reads the process's journal. Returns 0, or -1 if it is damaged or claims more I/O than is
 * possible. */
int process_look(struct followed *followed, struct followed_process *process);
/* Adds the increase that the last process_look found to the sums. */
void process_count(struct followed *followed, struct followed_process *process);
/* Closes the journal. The process stays in the table, so that its numbers are not counted again. */
void process_end(struct followed *followed, struct followed_process *process);
/* Closes a file that cannot be counted, for this reason. It is tried again up to RETRIES times,
 * after longer and longer pauses. */
void process_skip(struct followed *followed, struct followed_process *process,
                  enum export_skipped reason);

#endif
