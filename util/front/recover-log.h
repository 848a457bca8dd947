/* From what a process, a job or a run left to its log. */
#ifndef DARSHAN_FRONT_RECOVER_LOG_H
#define DARSHAN_FRONT_RECOVER_LOG_H

#include "mapped.h"
#include "orphans.h"

struct recovery {
  const char *output; /* folder for logs, NULL: the user's */
  int dry_run, quiet; /* quiet: says nothing */
  int64_t min_age_ns; /* younger ones are left alone */
  struct alive alive;
  struct path_list logs; /* that were made */
  size_t failed;
  char folder[PATH_MAX]; /* where the last of them went */
};

/* One line says what was done.  Whoever lives, or may, is left alone. */
void recover_orphan(struct recovery *recovery, const struct orphan *orphan);

/* Of the ranks of one job, or of one process.  in_run: they are in the folder of a run, of
 * whose processes none lives by what they said. */
void recover_journals(struct recovery *recovery, const struct path_list *files, int in_run);
/* Of everybody who left a journal in the folder of a run that has its log. */
void recover_rest(struct recovery *recovery, const char *run);

/* What is done goes to standard output, as its result. */
void recovery_tell(const struct recovery *recovery, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same of what is left alone; who wants to know calls for a dry run. */
void recovery_leave(const struct recovery *recovery, const char *path, enum alive_answer answer);
/* Where logs go, which is made; by default to the folder of the journal.  0, or -1 after
 * a line. */
int recovery_folder(const struct recovery *recovery, char out[PATH_MAX], const char *journal);
void recovery_made(struct recovery *recovery, const char *folder, const char *log);

#endif
