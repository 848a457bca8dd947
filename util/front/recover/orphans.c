/* Finds run directories and orphaned journals in a folder (orphans.h). */
#define _GNU_SOURCE
#include "orphans.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../process/directory.h"
#include "darshan-read.h"

static const char mark[] = "_mmap-log-", job_mark[] = "_id", log_end[] = ".darshan";
static const char any_run[] = "darshan-run"; /* older runs have names like darshan-run-XXXXXX */

/* Copies the digits from `from` up to `to` (exclusive) as a string. Returns 0; -1 if there are
 * none, other characters or more than fit. */
static int number(char *out, size_t room, const char *from, const char *to) {
  size_t length = (size_t)(to - from);
  if (length == 0 || length >= room || strspn(from, "-0123456789") < length) return -1;
  memcpy(out, from, length);
  out[length] = '\0';
  return 0;
}

/* Returns the last occurrence of a word between `from` and `to` (exclusive); NULL if there is none.
 */
static const char *last(const char *from, const char *to, const char *word) {
  size_t length = strlen(word);
  for (const char *at = to - length; at >= from; at--)
    if (strncmp(at, word, length) == 0) return at;
  return NULL;
}

int journal_name_read(struct journal_name *name, const char *path) {
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  const char *end = base + strlen(base);
  const char *at = last(base, end, mark), *job = at ? last(base, at, job_mark) : NULL;
  if (!job || (size_t)(end - base) < sizeof(log_end) ||
      strcmp(end - (sizeof(log_end) - 1), log_end) != 0)
    return -1;
  end -= sizeof(log_end) - 1;
  const char *dash = last(at, end, "-"), *unique = at + sizeof(mark) - 1;
  if (dash < unique || number(name->job, sizeof(name->job), job + sizeof(job_mark) - 1, at) < 0 ||
      number(name->unique, sizeof(name->unique), unique, dash) < 0 ||
      number(name->rank, sizeof(name->rank), dash + 1, end) < 0)
    return -1;
  const char *program = memchr(base, '_', (size_t)(job - base));
  program = program ? program + 1 : base;
  name->start = base;
  name->start_length = (int)(at - base);
  snprintf(name->program, sizeof(name->program), "%.*s", (int)(job - program), program);
  return 0;
}

int orphans_is_named(const char *name) {
  return strstr(name, mark) || strncmp(name, any_run, sizeof(any_run) - 1) == 0;
}

static struct orphan *new_orphan(struct orphans *orphans, int is_run) {
  struct orphan *all = realloc(orphans->all, (orphans->count + 1) * sizeof(*all));
  if (!all) return NULL;
  orphans->all = all;
  all[orphans->count] = (struct orphan){{NULL, 0}, is_run};
  return &all[orphans->count++];
}

/* Returns the job of a journal, which is made if it is new; NULL if out of memory. The ranks of a
 * job have the same unique number in their journals' names; each other process has its own. */
static struct orphan *orphan_of(struct orphans *orphans, const struct journal_name *name) {
  char both[sizeof(name->job) + sizeof(name->unique)];
  int is_new, length = snprintf(both, sizeof(both), "%s/%s", name->job, name->unique);
  if (!orphans->by_job.value_size) id_table_init(&orphans->by_job, sizeof(size_t));
  size_t *place = id_table_get(&orphans->by_job, darshan_id_of_name(both, (size_t)length), &is_new);
  if (!place) return NULL;
  if (!is_new) return &orphans->all[*place];
  *place = orphans->count;
  return new_orphan(orphans, 0);
}

static void add_journal(struct orphans *orphans, const char *path) {
  struct journal_name name;
  if (journal_name_read(&name, path) < 0) return;
  struct orphan *orphan = orphan_of(orphans, &name);
  if (orphan) path_list_add(&orphan->files, path);
}

/* Returns 1 for a readable folder that has the name of a run directory, otherwise 0. Also returns 0
 * if it has only journals and no process holds it: each of its journals is recovered separately. */
static int is_run(const char *path) {
  struct tree folder;
  const char *slash = strrchr(path, '/');
  if (!slash || strncmp(slash + 1, any_run, sizeof(any_run) - 1) != 0) return 0;
  int one = tree_read(&folder, path) == 0 &&
            (folder.rows || folder.parts.count || folder.has_pack || folder.is_closed ||
             !folder.journals.count || tree_is_held(path));
  tree_free(&folder);
  return one;
}

/* Adds the journals and run directories in a folder. most: limit of the entries that are read.
 * below: 1 to look into its folders with the name of a run directory. */
static void add_folder(struct orphans *orphans, const char *folder, size_t most, int below);

static void add_entry(struct orphans *orphans, const char *path, const char *name, size_t most,
                      int below) {
  struct stat st;
  if (!orphans_is_named(name) || lstat(path, &st) < 0 || st.st_uid != geteuid()) return;
  if (S_ISREG(st.st_mode)) add_journal(orphans, path);
  if (!S_ISDIR(st.st_mode) || !below) return;
  if (!is_run(path)) {
    add_folder(orphans, path, most, 0);
    return;
  }
  struct orphan *orphan = new_orphan(orphans, 1);
  if (orphan) path_list_add(&orphan->files, path);
}

static void add_folder(struct orphans *orphans, const char *folder, size_t most, int below) {
  char path[PATH_MAX];
  DIR *dir = opendir(folder);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    if (orphans->looked_at++ >= most) {
      orphans->cut = 1;
      break;
    }
    if (snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) < PATH_MAX)
      add_entry(orphans, path, entry->d_name, most, below);
  }
  if (dir) closedir(dir);
}

/* Sorts the journals of each job by name. Processes that recover at the same time need the same
 * order, because each of them locks the first journal of a job. */
static void put_in_order(struct orphans *orphans) {
  for (size_t i = 0; i < orphans->count; i++)
    path_list_sort(&orphans->all[i].files, 0);
}

void orphans_find(struct orphans *orphans, const char *folder, size_t most) {
  char path[PATH_MAX];
  struct orphan *run = realpath(folder, path) && is_run(path) ? new_orphan(orphans, 1) : NULL;
  if (run)
    path_list_add(&run->files, path);
  else
    add_folder(orphans, folder, most, 1);
  put_in_order(orphans);
}

void orphans_find_journals(struct orphans *orphans, const char *folder) {
  add_folder(orphans, folder, SIZE_MAX, 0);
  put_in_order(orphans);
}

void orphans_free(struct orphans *orphans) {
  for (size_t i = 0; i < orphans->count; i++)
    path_list_free(&orphans->all[i].files);
  if (orphans->by_job.value_size) id_table_free(&orphans->by_job);
  free(orphans->all);
  memset(orphans, 0, sizeof(*orphans));
}
