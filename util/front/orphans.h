/* What processes that ended unseen left in a folder for journals: run folders, and
 * journals of single processes and of MPI jobs. */
#ifndef DARSHAN_FRONT_ORPHANS_H
#define DARSHAN_FRONT_ORPHANS_H

#include <limits.h>

#include "../parser/id-table.h"
#include "path-list.h"

struct orphan {
  struct path_list files; /* journals of one job, by rank; of a run its folder alone */
  int is_run;
};

struct orphans {
  struct orphan *all;
  size_t count;
  struct id_table by_job; /* of journals; empty before the first */
  size_t looked_at;       /* entries of folders */
  int cut;                /* there were more than `most` */
};

/* Adds what is in the folder and below it in those of runs, of this user.  Whether any
 * of it is alive is not asked.  most: entries to look at. */
void orphans_find(struct orphans *orphans, const char *folder, size_t most);
/* Adds the journals in one folder. */
void orphans_find_journals(struct orphans *orphans, const char *folder);
void orphans_free(struct orphans *orphans);

/* Whether a file or folder of that name may be such. */
int orphans_is_named(const char *name);

/* What the name of a journal tells: <user>_<program>_id<job>_mmap-log-<unique>-<rank>. */
struct journal_name {
  const char *start; /* <user>_<program>_id<job> */
  int start_length;
  char program[NAME_MAX + 1];
  char job[24], unique[24], rank[24];
};
/* 0, or -1: it is no journal's.  path stays where it is. */
int journal_name_read(struct journal_name *name, const char *path);

#endif
