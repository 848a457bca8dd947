/* See events.h. */
#include "events.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 16 };

static int is_head(const struct run_event *event) {
  return event->magic == RUN_EVENT_MAGIC && event->kind >= RUN_START && event->kind <= RUN_JOB &&
         event->pid > 0;
}

/* Two times may be subtracted. */
static int is_row(const struct run_event *event) {
  return is_head(event) && event->now_ns > 0 && event->now_ns < RUN_TIME_MOST &&
         event->start_ns >= 0 && event->start_ns < RUN_TIME_MOST;
}

/* Where in these bytes a row begins; n: nowhere. */
static size_t next_row(const char *bytes, size_t from, size_t n) {
  struct run_event head = {.magic = 0};
  size_t enough = offsetof(struct run_event, parent);
  for (; from + enough <= n; from++) {
    memcpy(&head, bytes + from, enough);
    if (is_head(&head)) return from;
  }
  return n;
}

/* Takes the rows of n bytes; returns how many bytes are done with.  A row that was cut
 * off by a full disk has the next one in it, wherever that begins. */
static long take_rows(const char *bytes, size_t n,
                      int (*take)(void *context, const struct run_event *event), void *context) {
  struct run_event event;
  size_t at = 0;
  while (n - at >= sizeof(event)) {
    size_t other = next_row(bytes + at, 1, sizeof(event));
    memcpy(&event, bytes + at, sizeof(event));
    if (!is_row(&event) || other < sizeof(event)) {
      size_t skipped = next_row(bytes, at + 1, n);
      at = skipped < n ? skipped : n - sizeof(event) + 1;
      continue;
    }
    event.program[RUN_PROGRAM - 1] = event.host[RUN_HOST - 1] = '\0';
    if (take(context, &event) < 0) return -1;
    at += sizeof(event);
  }
  return (long)at;
}

static ssize_t read_some(int fd, char *bytes, size_t n) {
  ssize_t got;
  do {
    got = read(fd, bytes, n);
  } while (got < 0 && errno == EINTR);
  return got;
}

int events_read(int folder, int (*take)(void *context, const struct run_event *event),
                void *context) {
  char block[BLOCK];
  size_t have = 0;
  ssize_t got = -1;
  struct stat st;
  int fd = openat(folder, RUN_EVENTS, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return -1;
  if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
    close(fd);
    return -1;
  }
  while ((got = read_some(fd, block + have, sizeof(block) - have)) > 0) {
    have += (size_t)got;
    long done = take_rows(block, have, take, context);
    if (done < 0) {
      got = -1;
      break;
    }
    have -= (size_t)done;
    memmove(block, block + done, have);
  }
  close(fd);
  return got < 0 ? -1 : 0;
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
