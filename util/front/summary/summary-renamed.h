/* Files that were written under a temporary name and then renamed: a user knows the last name. The
 * rule is that of the report (util/python/darshan_report/measure/files/renamed.py). */
#ifndef DARSHAN_FRONT_SUMMARY_RENAMED_H
#define DARSHAN_FRONT_SUMMARY_RENAMED_H

#include "summary.h"

/* The renames of a file, from its POSIX records. */
struct renamed {
  int64_t sources, targets; /* renames from and to this name */
  uint64_t from;            /* record id of the first name that became this one */
  int64_t read;             /* bytes */
};

/* Stores the renames that a POSIX record has of its file. */
void renamed_note(struct picture *picture, const void *record);
/* Adds the numbers of temporary files to those of the files that they became. Called after all
 * logs. */
void renamed_join(struct picture *picture);

#endif
