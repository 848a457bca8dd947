/* Reads the event file of a run, `events`, and its continuation files; no byte is trusted
 * (events.h). */
#include "events.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 16 };

/* Returns 1 if the fields that every row begins with are valid, otherwise 0. */
static int is_head(const struct run_event *event) {
  return event->magic == RUN_EVENT_MAGIC && event->kind >= RUN_START &&
         event->kind <= RUN_UNWATCHED && event->pid > 0;
}

/* Returns 1 if the bytes are a row with valid times, so that differences of its times do not
 * overflow; otherwise 0. */
static int is_row(const struct run_event *event) {
  return is_head(event) && event->now_ns > 0 && event->now_ns < RUN_TIME_MOST &&
         event->start_ns >= 0 && event->start_ns < RUN_TIME_MOST;
}

/* Returns the first offset of at least `from` at which a row can begin; n if there is none in the n
 * bytes. */
static size_t next_row(const char *bytes, size_t from, size_t n) {
  struct run_event head = {.magic = 0};
  size_t enough = offsetof(struct run_event, parent);
  for (; from + enough <= n; from++) {
    memcpy(&head, bytes + from, enough);
    if (is_head(&head)) return from;
  }
  return n;
}

/* --- one file ------------------------------------------------------------------------- */

struct rows {
  int fd, failed;        /* descriptor; 1: reading failed */
  char *block;           /* bytes of the file that were read last */
  size_t room, at, have; /* capacity of block; offset in it of the next byte; bytes in it */
  struct run_event row;  /* the next row, valid if has_row is 1 */
  int has_row;
};

/* Drops the bytes before `at` and reads more. Returns 1, or 0 at the end of the file or after an
 * error (failed). */
static int fill(struct rows *rows) {
  ssize_t got;
  rows->have -= rows->at;
  memmove(rows->block, rows->block + rows->at, rows->have);
  rows->at = 0;
  do {
    got = read(rows->fd, rows->block + rows->have, rows->room - rows->have);
  } while (got < 0 && errno == EINTR);
  rows->failed |= got < 0;
  rows->have += got > 0 ? (size_t)got : 0;
  return got > 0;
}

/* Reads the next complete row of a file into rows->row; sets has_row to 0 if there is none. Skips a
 * row that a full disk truncated: the next row begins within its 120 bytes. */
static void find_row(struct rows *rows) {
  struct run_event *event = &rows->row;
  rows->has_row = 0;
  for (;;) {
    while (rows->have - rows->at < sizeof(*event))
      if (!fill(rows)) return;
    size_t other = next_row(rows->block + rows->at, 1, sizeof(*event));
    memcpy(event, rows->block + rows->at, sizeof(*event));
    if (is_row(event) && other == sizeof(*event)) break;
    size_t skipped = next_row(rows->block, rows->at + 1, rows->have);
    rows->at = skipped < rows->have ? skipped : rows->have - sizeof(*event) + 1;
  }
  event->program[RUN_PROGRAM - 1] = event->host[RUN_HOST - 1] = '\0';
  rows->at += sizeof(*event);
  rows->has_row = 1;
}

/* Opens a file of the run directory to read its rows. Returns 0, or -1 if it cannot be opened or is
 * not a regular file, or if out of memory. room: bytes to read at once. */
static int open_rows(struct rows *rows, int folder, const char *name, size_t room) {
  struct stat st;
  *rows = (struct rows){.room = room};
  rows->fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (rows->fd < 0) return -1;
  if (fstat(rows->fd, &st) == 0 && S_ISREG(st.st_mode) && (rows->block = malloc(room))) return 0;
  close(rows->fd);
  return -1;
}

static void close_rows(struct rows *rows) {
  free(rows->block);
  close(rows->fd);
}

/* --- all files --------------------------------------------------------------------------- */

/* Returns the file whose next row is the oldest; NULL if no file has rows left. */
static struct rows *first_of(struct rows *all, int count) {
  struct rows *first = NULL;
  for (int i = 0; i < count; i++)
    if (all[i].has_row && (!first || all[i].row.now_ns < first->row.now_ns)) first = &all[i];
  return first;
}

/* Writes the name of event file `number`: "events" for 0, "events.1" for 1. */
static void name_of(char *name, size_t room, int number) {
  snprintf(name, room, number ? RUN_EVENTS ".%d" : RUN_EVENTS, number);
}

int events_read(int folder, int (*take)(void *context, const struct run_event *event),
                void *context) {
  enum { SMALL_BLOCK = 1 << 13 };
  static struct rows all[RUN_EVENTS_MOST];
  char name[NAME_MAX];
  int count = 0, result = 0;
  for (; count < RUN_EVENTS_MOST; count++) {
    name_of(name, sizeof(name), count);
    if (open_rows(&all[count], folder, name, count ? SMALL_BLOCK : BLOCK) < 0) break;
    find_row(&all[count]);
  }
  for (struct rows *first; result == 0 && (first = first_of(all, count)); find_row(first))
    if (take(context, &first->row) < 0) result = -1;
  if (count == 0 || all[0].failed) result = -1;
  while (count > 0)
    close_rows(&all[--count]);
  return result;
}

int events_is_file(const char *entry) {
  size_t length = sizeof(RUN_EVENTS) - 1;
  if (strncmp(entry, RUN_EVENTS, length) != 0) return 0;
  return entry[length] == '\0' ||
         (entry[length] == '.' && strspn(entry + length + 1, "0123456789") > 0);
}

void events_remove(int folder) {
  char name[NAME_MAX];
  for (int i = 0; i < RUN_EVENTS_MOST; i++) {
    name_of(name, sizeof(name), i);
    if (unlinkat(folder, name, 0) < 0 && errno == ENOENT && i > 0) return;
  }
}

int events_is_name(const char *entry) {
  return strncmp(entry, RUN_NAME, sizeof(RUN_NAME) - 1) == 0;
}

void events_remove_names(const char *folder, size_t most) {
  size_t count = 0;
  DIR *listing = opendir(folder);
  for (struct dirent *entry; listing && (entry = readdir(listing));)
    count += events_is_name(entry->d_name) != 0;
  if (listing && count <= most) {
    closedir(listing);
    return;
  }
  if (listing) rewinddir(listing);
  for (struct dirent *entry; listing && (entry = readdir(listing));)
    if (events_is_name(entry->d_name)) unlinkat(dirfd(listing), entry->d_name, 0);
  if (listing) closedir(listing);
}
