/* Finds the run directories and orphaned journals in a folder: journals of single processes and of
 * MPI jobs. */
#ifndef DARSHAN_FRONT_ORPHANS_H
#define DARSHAN_FRONT_ORPHANS_H

#include <limits.h>

#include "../../parser/id-table.h"
#include "../path-list.h"

struct orphan { /* the files from which one log can be made */
  struct path_list
      files;  /* the journals of a job, sorted by path; or the path of a run directory */
  int is_run; /* 1: `files` is a run directory */
};

struct orphans {
  struct orphan *all;
  size_t count;
  struct id_table by_job; /* index in `all` of each job with journals */
  size_t looked_at;       /* number of directory entries that were read */
  int cut;                /* 1: the limit `most` was reached */
};

/* Adds this user's run directories and journals in the folder, and the journals in its folders that
 * are named like a run directory but are none. If the folder itself is a run directory, adds only
 * this. Does not check whether their processes live. most: limit of the directory entries that are
 * read. */
void orphans_find(struct orphans *orphans, const char *folder, size_t most);
/* Adds the journals in one folder. */
void orphans_find_journals(struct orphans *orphans, const char *folder);
void orphans_free(struct orphans *orphans);

/* Returns 1 if the name may be that of a journal or run directory, otherwise 0. */
int orphans_is_named(const char *name);

/* The parts of a journal's name: <user>_<program>_id<job>_mmap-log-<unique>-<rank>. */
struct journal_name {
  const char *start; /* <user>_<program>_id<job> */
  int start_length;
  char program[NAME_MAX + 1];
  char job[24], unique[24], rank[24]; /* numbers as text; unique: equal for all ranks of a job */
};
/* Splits the file name of a path into the parts of a journal's name. name->start points into path.
 * Returns 0, or -1 if this is not a journal's name. */
int journal_name_read(struct journal_name *name, const char *path);

#endif
