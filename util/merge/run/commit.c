/* Ensures that each part of a run is in exactly one log, even if a merger is killed (commit.h). If
 * a note cannot be written, the disk is probably full. The merge then continues, because a log is
 * more valuable than the guarantee that only one log exists. */
#include "commit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../target.h"
#include "records/bytes.h"

static const char partial_name[] = "partial", merged_name[] = "merged", naming_name[] = "naming";

/* --- before the log is made --------------------------------------------------------------- */

/* Writes the path of the log that is about to be created into the file `partial`. */
static void creates(void *context, const char *path) {
  folder_put(context, partial_name, path, strlen(path));
}

/* Writes "DEVICE INODE PATH" of the log into the file `naming`. The writer of the log calls this
 * function before it renames the log. context: the struct run_folder. from, to: the log's present
 * path and its final one. */
static void names(void *context, const char *from, const char *to) {
  char text[PATH_MAX + 64];
  struct stat st;
  if (lstat(from, &st) < 0) return;
  int n = snprintf(text, sizeof(text), "%" PRIuMAX " %" PRIuMAX " %s", (uintmax_t)st.st_dev,
                   (uintmax_t)st.st_ino, to);
  if (n < (int)sizeof(text)) folder_put(context, naming_name, text, (size_t)n);
}

/* Appends part names to the list, each with its NUL: those of one process, or of all processes
 * (NULL). Returns 0, or nonzero if out of memory. */
static int list_parts(const struct run_tree *tree, const struct run_process *process,
                      struct bytes *list) {
  char name[NAME_MAX + 1];
  int failed = 0;
  for (size_t i = 0; i < tree->num_parts; i++) {
    const struct run_part *part = &tree->parts[i];
    if (process && &tree->processes[tree->programs[part->program].process] != process) continue;
    folder_part_name(part, name);
    failed |= bytes_add(list, name, strlen(name) + 1);
  }
  return failed;
}

void closing_begin(struct closing *closing, struct run_folder *folder, const struct run_tree *tree,
                   const struct run_process *process) {
  *closing = (struct closing){.folder = folder};
  list_parts(tree, process, &closing->parts);
  folder_put(folder, merged_name, closing->parts.at, closing->parts.n);
  inside_watch = (struct inside_watch){folder, creates, names};
}

/* --- after the log is made ----------------------------------------------------------------- */

/* Removes the notes. */
static void forget(struct run_folder *folder) {
  folder_unlink(folder, naming_name);
  folder_unlink(folder, merged_name);
  folder_unlink(folder, partial_name);
}

/* Makes `closed`, and removes the parts that are in the log and then the notes. list: the parts'
 * names, n bytes, each with its NUL. */
static void finish(struct run_folder *folder, const char *list, size_t n) {
  if (linkat(folder->fd, naming_name, folder->fd, RUN_CLOSED, 0) < 0 &&
      !folder_has(folder, RUN_CLOSED))
    folder_put(folder, RUN_CLOSED, "", 0);
  folder->has_taken = folder_drop_parts(folder, list, n) < 0;
  if (!folder->has_taken) forget(folder);
}

void closing_end(struct closing *closing, int made) {
  inside_watch = (struct inside_watch){NULL, NULL, NULL};
  if (made)
    finish(closing->folder, closing->parts.at, closing->parts.n);
  else
    forget(closing->folder);
  bytes_free(&closing->parts);
}

/* Returns 1 if the log exists under the path in `naming`, and stores this path in `log`; 0 if not;
 * -1 if `naming` cannot be read now. */
static int is_named(struct run_folder *folder, char *log) {
  uintmax_t device, inode;
  struct stat st;
  size_t n;
  int at = 0, found = 0;
  char *text;
  if (folder_get(folder, naming_name, &text, &n) < 0) return -1;
  if (text && sscanf(text, "%" SCNuMAX " %" SCNuMAX " %n", &device, &inode, &at) == 2 && at > 0 &&
      strlen(text + at) < PATH_MAX && lstat(text + at, &st) == 0 && st.st_dev == device &&
      st.st_ino == inode) {
    strcpy(log, text + at);
    found = 1;
  }
  free(text);
  return found;
}

/* Removes an unfinished log of a killed merger. No other process can be writing that log, because
 * this merger now holds the killed merger's lock. Returns 0, or -1 if the note that names the log
 * cannot be read now. */
static int remove_partial(struct run_folder *folder) {
  static const char ending[] = ".darshan_partial";
  size_t n, length = sizeof(ending) - 1;
  char *path;
  if (folder_get(folder, partial_name, &path, &n) < 0) return -1;
  if (path && strlen(path) > length && strcmp(path + strlen(path) - length, ending) == 0)
    unlink(path);
  free(path);
  return 0;
}

int closing_resume(struct run_folder *folder, char *log) {
  int named = is_named(folder, log);
  size_t n = 0;
  char *list = NULL;
  if (named < 0 || (named && folder_get(folder, merged_name, &list, &n) < 0)) return -1;
  if (remove_partial(folder) < 0) {
    free(list);
    return -1;
  }
  if (named)
    finish(folder, list, n);
  else
    forget(folder);
  free(list);
  return named;
}
