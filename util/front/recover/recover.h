/* Makes logs from the files of killed processes, jobs and runs, by running darshan-merge. */
#ifndef DARSHAN_FRONT_RECOVER_H
#define DARSHAN_FRONT_RECOVER_H

#include <stddef.h>

#include "mapped.h"
#include "orphans.h"

/* Called after `darshan run`: makes logs from files that this user's processes left in a folder
 * more than an hour ago, at most 64, and prints one line about them. Does nothing if it was called
 * for this folder within a day, or in a rank of a job. */
void recover_by_the_way(const char *folder);

enum merger_end { /* exit status of darshan-merge */
                  MERGER_MADE = 0,
                  MERGER_FAILED = 1,
                  MERGER_NOTHING = 3 /* no log to make, or another process makes it */
};

/* Runs darshan-merge, uninstrumented, and returns how it ended; MERGER_FAILED also if it cannot be
 * started or a signal ended it. Sets argv[0]; argv ends with NULL. out: receives the first line of
 * its standard output, at most room - 1 bytes, without the newline; may be NULL. quiet: 1 to
 * discard its messages. */
enum merger_end merger_run(char **argv, char *out, size_t room, int quiet);

/* Returns 1 if darshan-merge is installed; otherwise 0, after a message. */
int merger_exists(void);

struct recovery {        /* options, state and results of a recovery */
  const char *output;    /* folder for the logs; NULL: the default (recovery_folder) */
  int dry_run, quiet;    /* 1: change nothing, only print; 1: print nothing */
  int64_t min_age_ns;    /* files that changed more recently are skipped */
  struct alive alive;    /* alive_init was called for it */
  struct path_list logs; /* paths of the logs made so far */
  size_t failed;         /* number of logs that could not be made */
  size_t planned; /* in a dry run: number of logs that would be made, and of empty journals that
                     would be removed */
  char folder[PATH_MAX]; /* folder of the last log */
};

/* Makes the log of an orphaned run or of orphaned journals, removes their files, and prints one
 * line. Does nothing if one of the processes lives or may live. */
void recover_orphan(struct recovery *recovery, const struct orphan *orphan);

/* Makes the log of the ranks of a job, or of one process, from their journals, and removes these.
 * Does nothing if one of the processes lives or may live, if a journal is younger than min_age_ns,
 * or if another process recovers them. in_run: 1 if the files are in a run directory whose rows
 * show that no process lives. */
void recover_journals(struct recovery *recovery, const struct path_list *files, int in_run);
/* Makes the logs of the journals that remain in a run directory after its log was made. Then
 * calls tree_discard for the directory, except in a dry run. */
void recover_rest(struct recovery *recovery, const char *run);

/* Prints a result on standard output, unless quiet. */
void recovery_tell(const struct recovery *recovery, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* In a dry run, prints that a journal is skipped. answer: its process lives, or this is unknown. */
void recovery_leave(const struct recovery *recovery, const char *path, enum alive_answer answer);
/* Writes the folder for the log of a journal to out, and creates it unless this is a dry run: the
 * folder that the user named; else DARSHAN_LOGPATH; else the default of this build; else
 * darshan-logs in the home folder; else the journal's folder. The default of this build, and a
 * dated DARSHAN_LOGPATH, have a folder for each day. Returns 0, or -1 after a message. */
int recovery_folder(const struct recovery *recovery, char out[PATH_MAX], const char *journal);
/* Counts a log: adds its path to recovery->logs, or in a dry run increases `planned`. folder: the
 * log's folder. */
void recovery_made(struct recovery *recovery, const char *folder, const char *log);

#endif
