/* Makes the rows of the table of files, in which similar files share a row (summary.h). */
#define _GNU_SOURCE
#include "summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../runtime/names/groups.h"

/* The rule of similar_files.py: LEAST or more similar files share a row, except a file that took
 * more than own_part of their time. */
enum { LEAST = 20 };
static const double own_part = 0.25;

/* Similar files: files with one folder and extension. */
struct kind {
  struct alike_row row;
  double whole;      /* time of all similar files, including those with a row of their own */
  int64_t members;   /* number of files that may share the row */
  const char *first; /* name of one of the files */
  size_t prefix;     /* bytes at the start of this name that all names have */
};

struct alike {
  const struct picture *picture;
  struct id_table kinds; /* hash of folder and extension -> struct kind */
  uint64_t *keys;        /* key of each file's kind, by index; 0: none */
};

static const struct picture_file *file_at(const struct picture *picture, size_t place) {
  return id_table_value(&picture->files, place);
}

/* Returns a hash of the folder and extension and, if with_stem is 1, of the characters before the
 * first digit. Returns 0 for names that have no kind: datasets, names that are not absolute paths,
 * files in the root folder, groups and, if with_stem is 1, names without digit. */
static uint64_t key_of(const char *name, int with_stem) {
  uint64_t parts[2];
  if (!name || name[0] != '/') return 0;
  size_t length = strlen(name), folder = darshan_folder_part(name, length);
  size_t ending = darshan_ending(name, length), stem = folder;
  if (folder < 2 || strchr(name + folder, ':') || name[folder] == '*') return 0;
  if (with_stem) stem += strcspn(name + folder, "0123456789");
  if (with_stem && stem >= ending) return 0; /* the name has no digit */
  parts[0] = darshan_id_of_name(name, stem);
  parts[1] = darshan_id_of_name(name + ending, length - ending);
  uint64_t key = darshan_id_of_name((const char *)parts, sizeof(parts));
  return key ? key : 1;
}

/* Returns 1 if a file has a row of its own, because it took more than own_part of its kind's time.
 */
static int is_alone(const struct kind *kind, const struct picture_file *file) {
  const double least = 1e-9;
  return file->time > own_part * (kind->whole > least ? kind->whole : least);
}

/* Shortens the common prefix of a kind's names to what `name` shares. */
static void note_prefix(struct kind *kind, const char *name) {
  size_t ending = darshan_ending(name, strlen(name)), same = 0;
  if (!kind->first) {
    kind->first = name;
    kind->prefix = ending;
  }
  while (same < kind->prefix && same < ending && name[same] == kind->first[same])
    same++;
  kind->prefix = same;
}

/* Stores the key of each file's kind. Files are of one kind if their names differ only in numbers.
 * If there are too few of them, all files with this folder and extension are of one kind. Returns
 * 0, or -1 if out of memory. */
static int find_keys(struct alike *alike) {
  const struct picture *picture = alike->picture;
  struct id_table stems;
  int is_new, result = 0;
  id_table_init(&stems, sizeof(size_t));
  for (size_t i = 0; result == 0 && i < picture->files.count; i++) {
    uint64_t key = alike->keys[i] = key_of(file_at(picture, i)->name, 1);
    size_t *number = key ? id_table_get(&stems, key, &is_new) : NULL;
    if (number) ++*number;
    if (key && !number) result = -1;
  }
  for (size_t i = 0; result == 0 && i < picture->files.count; i++) {
    const size_t *number = alike->keys[i] ? id_table_find(&stems, alike->keys[i]) : NULL;
    if (!number || *number < LEAST) alike->keys[i] = key_of(file_at(picture, i)->name, 0);
  }
  id_table_free(&stems);
  return result;
}

/* Finds the kinds of the files, and counts the members and the time of each kind. Returns 0, or -1
 * if out of memory. */
static int find_kinds(struct alike *alike) {
  const struct picture *picture = alike->picture;
  size_t count = picture->files.count;
  int is_new;
  alike->keys = calloc(count + 1, sizeof(*alike->keys));
  if (!alike->keys) return -1;
  if (count < LEAST) return 0;
  if (find_keys(alike) < 0) return -1;
  for (size_t i = 0; i < count; i++) {
    if (!alike->keys[i]) continue;
    struct kind *kind = id_table_get(&alike->kinds, alike->keys[i], &is_new);
    if (!kind) return -1;
    kind->whole += file_at(picture, i)->time;
  }
  for (size_t i = 0; i < count; i++) {
    struct kind *kind = alike->keys[i] ? id_table_find(&alike->kinds, alike->keys[i]) : NULL;
    if (!kind || is_alone(kind, file_at(picture, i))) continue;
    kind->members++;
    note_prefix(kind, file_at(picture, i)->name);
  }
  return 0;
}

/* --- rows ---------------------------------------------------------------------------- */

static void add(int64_t *sum, int64_t value) {
  if (value > 0 && __builtin_add_overflow(*sum, value, sum)) *sum = INT64_MAX;
}

static void add_file(struct alike_row *row, const struct picture_file *file) {
  row->sum.time += file->time;
  add(&row->sum.read, file->read);
  add(&row->sum.written, file->written);
  add(&row->sum.calls, file->calls);
  add(&row->sum.touched, file->touched);
  row->files++;
}

/* Returns a common name for a kind's files, such as "/data/part_*.csv", which the caller frees. The
 * star replaces whole characters and whole numbers. Returns NULL if out of memory. */
static char *name_of(const struct kind *kind) {
  const char *name = kind->first;
  char *made = NULL;
  size_t length = strlen(name), folder = darshan_folder_part(name, length), prefix = kind->prefix;
  while (prefix > folder && ((unsigned char)name[prefix] & 0xc0) == 0x80)
    prefix--;
  while (prefix > folder && name[prefix - 1] >= '0' && name[prefix - 1] <= '9')
    prefix--;
  if (asprintf(&made, "%.*s*%s", (int)prefix, name, name + darshan_ending(name, length)) < 0)
    return NULL;
  return made;
}

/* Returns 1 for a file that a virtual machine or an interpreter makes for itself: counters, sockets
 * and caches. Otherwise returns 0. The patterns are those of measure/files/runtimes.py. */
static int is_of_runtime(const char *name) {
  static const char *const parts[] = {
      "/hsperfdata_",         "/.java_pid",          "/.dotnet/",           "/clr-debug-pipe-",
      "/dotnet-diagnostic-",  "/v8-compile-cache-",  "/.julia/logs/",       "/tmp/ompi.",
      "/node-compile-cache/", "/.cache/matplotlib/", "/.cache/fontconfig/", "/pyvenv.cfg"};
  for (size_t i = 0; name && i < sizeof(parts) / sizeof(parts[0]); i++)
    if (strstr(name, parts[i])) return 1;
  return 0;
}

/* Adds a row for the file at index `place` alone. */
static void add_own(struct alike_rows *rows, const struct picture *picture, size_t place) {
  const struct picture_file *file = file_at(picture, place);
  uint64_t id = picture->files.keys[place];
  struct alike_row *row = &rows->row[rows->count++];
  *row = (struct alike_row){.name = file->name ? strdup(file->name) : NULL,
                            .files = picture_files_of(picture, id),
                            .is_of_program =
                                picture_is_of_program(picture, id) || is_of_runtime(file->name),
                            .sum = *file};
}

static int by_row(const void *a, const void *b) {
  const struct alike_row *left = a, *right = b;
  if (left->is_of_program != right->is_of_program) return left->is_of_program ? 1 : -1;
  if (left->sum.time != right->sum.time) return left->sum.time > right->sum.time ? -1 : 1;
  return strcmp(left->name ? left->name : "", right->name ? right->name : "");
}

/* Returns 1 for a standard stream that the program did not use, otherwise 0. Its record exists
 * because libc flushes it at the end of every program. */
static int is_unused_stream(const struct picture_file *file) {
  const double flush = 1e-3; /* seconds; a longer flush is shown */
  return file->name && strncmp(file->name, "<STD", 4) == 0 && file->calls == 0 &&
         file->time < flush;
}

/* Makes the rows and sorts them; rows->row has space for all. */
static void make_rows(struct alike_rows *rows, struct alike *alike) {
  const struct picture *picture = alike->picture;
  for (size_t i = 0; i < picture->files.count; i++) {
    struct kind *kind = alike->keys[i] ? id_table_find(&alike->kinds, alike->keys[i]) : NULL;
    if (file_at(picture, i)->is_joined || is_unused_stream(file_at(picture, i))) continue;
    if (kind && kind->members >= LEAST && !is_alone(kind, file_at(picture, i)))
      add_file(&kind->row, file_at(picture, i));
    else
      add_own(rows, picture, i);
  }
  for (size_t i = 0; i < alike->kinds.count; i++) {
    struct kind *kind = id_table_value(&alike->kinds, i);
    if (!kind->row.files) continue;
    rows->row[rows->count] = kind->row;
    rows->row[rows->count++].name = name_of(kind);
  }
  qsort(rows->row, rows->count, sizeof(*rows->row), by_row);
}

struct alike_rows alike_rows(const struct picture *picture) {
  struct alike alike = {.picture = picture};
  struct alike_rows rows = {NULL, 0};
  id_table_init(&alike.kinds, sizeof(struct kind));
  if (find_kinds(&alike) == 0)
    rows.row = calloc(picture->files.count + alike.kinds.count + 1, sizeof(*rows.row));
  if (rows.row) make_rows(&rows, &alike);
  id_table_free(&alike.kinds);
  free(alike.keys);
  return rows;
}

void alike_show_mapped(struct alike_rows *rows, size_t shown) {
  size_t most = 0;
  for (size_t i = 1; i < rows->count; i++)
    if (!rows->row[i].is_of_program && rows->row[i].sum.touched > rows->row[most].sum.touched)
      most = i;
  /* The first row stays. A file that SQLite maps for its locks has few bytes. */
  if (shown < 2 || most < shown) return;
  struct alike_row row = rows->row[most], last = rows->row[shown - 1];
  if (row.sum.touched <= last.sum.read + last.sum.written) return;
  rows->row[most] = last;
  rows->row[shown - 1] = row;
}

void alike_free(struct alike_rows *rows) {
  for (size_t i = 0; i < rows->count; i++)
    free(rows->row[i].name);
  free(rows->row);
  *rows = (struct alike_rows){NULL, 0};
}
