/* Joins files that were written under a temporary name with the files that they became by a rename
 * (summary.h). */
#define _GNU_SOURCE
#include "summary.h"

#include <stdlib.h>
#include <string.h>

#include "records.h"

static void add(int64_t *sum, int64_t value) {
  if (value > 0 && __builtin_add_overflow(*sum, value, sum)) *sum = INT64_MAX;
}

void renamed_note(struct picture *picture, const void *record) {
  const struct darshan_posix_record *posix = record;
  const int64_t *counters = posix->counters;
  int is_new;
  if (counters[POSIX_RENAME_SOURCES] <= 0 && counters[POSIX_RENAME_TARGETS] <= 0) return;
  struct renamed *file = id_table_get(&picture->renamed, posix->base.id, &is_new);
  if (!file) return;
  add(&file->sources, counters[POSIX_RENAME_SOURCES]);
  add(&file->targets, counters[POSIX_RENAME_TARGETS]);
  add(&file->read, counters[POSIX_BYTES_READ]);
  if (!file->from) file->from = (uint64_t)counters[POSIX_RENAMED_FROM];
}

/* Removes an ending from the length of a name. Returns 1 if the name ends with it, else 0. */
static int drop(const char *name, size_t *length, const char *ending) {
  size_t n = strlen(ending);
  if (*length < n || memcmp(name + *length - n, ending, n) != 0) return 0;
  *length -= n;
  return 1;
}

/* Returns 1 for the name of an older version (x~, x.bak, x.1 ...), even if it is compressed.
 * Otherwise returns 0. */
static int is_aside(const char *name) {
  static const char *const packed[] = {".gz", ".xz", ".zst", ".bz2"};
  static const char *const endings[] = {"~",     ".bak",  ".backup", ".old",
                                        ".orig", ".save", ".prev",   ".previous"};
  enum { DIGITS = 4 };
  size_t length = strlen(name), digits = 0;
  for (size_t i = 0; i < sizeof(packed) / sizeof(packed[0]); i++)
    if (drop(name, &length, packed[i])) break;
  for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
    if (drop(name, &length, endings[i])) return 1;
  while (digits < length && name[length - 1 - digits] >= '0' && name[length - 1 - digits] <= '9')
    digits++;
  return digits > 0 && digits <= DIGITS && digits < length && name[length - 1 - digits] == '.';
}

/* Returns the id of the name to which this file was renamed. Returns 0 if the file keeps its own
 * row: it was not renamed; its new name is that of an old version; or it was read, so the user
 * knows it by its first name. */
static uint64_t next_name(const struct picture *picture, const struct id_table *names,
                          uint64_t id) {
  const struct renamed *source = id_table_find(&picture->renamed, id);
  const uint64_t *target = id_table_find(names, id);
  if (!target || !source || source->sources <= 0 || source->read > 0) return 0;
  const struct picture_file *file = id_table_find(&picture->files, *target);
  return file && !(file->name && is_aside(file->name)) ? *target : 0;
}

/* Adds the numbers of a temporary file to the file that it became, and marks it as joined. */
static void join(struct picture_file *to, struct picture_file *from) {
  const char *slash = from->name ? strrchr(from->name, '/') : NULL;
  if (from->name && (!to->was || from->written > to->was_written)) {
    free(to->was);
    to->was = strdup(slash ? slash + 1 : from->name);
    to->was_written = from->written;
  }
  to->time += from->time;
  add(&to->read, from->read);
  add(&to->written, from->written);
  add(&to->calls, from->calls);
  add(&to->touched, from->touched);
  free(from->name);
  free(from->was);
  *from = (struct picture_file){.is_joined = 1};
}

void renamed_join(struct picture *picture) {
  enum {
    NAMES_MOST = 64
  }; /* largest number of names of one file, because a log may have a cycle of names */
  struct id_table names; /* id of a source -> id of its target */
  int is_new;
  id_table_init(&names, sizeof(uint64_t));
  for (size_t i = 0; i < picture->renamed.count; i++) {
    const struct renamed *target = id_table_value(&picture->renamed, i);
    uint64_t id = picture->renamed.keys[i];
    if (target->targets <= 0 || !target->from || target->from == id) continue;
    uint64_t *name = id_table_get(&names, target->from, &is_new);
    if (name && is_new) *name = id;
  }
  for (size_t i = 0; i < names.count; i++) {
    uint64_t id = names.keys[i], last = id, next;
    int n = 0;
    for (; n < NAMES_MOST && (next = next_name(picture, &names, last)); n++)
      last = next;
    if (n == NAMES_MOST) continue;
    struct picture_file *from = id_table_find(&picture->files, id);
    struct picture_file *to = id_table_find(&picture->files, last);
    if (from && to && from != to && !from->is_joined && !to->is_joined) join(to, from);
  }
  id_table_free(&names);
}
