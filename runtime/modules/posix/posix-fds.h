/* What descriptor numbers stand for.  A stale entry would charge one file with
 * another's traffic, so every way to make or end a descriptor comes through
 * here.
 *
 * The first RUNTIME_FDS numbers are an array; entries of the others are made, a page
 * at a time, when one of them is followed. */
#ifndef DARSHAN_FDS_H
#define DARSHAN_FDS_H

#include "../../door/door.h"
#include "../../names/fd-entry.h"
#include "posix-state.h"

/* fd_entry.stream of a folder that is being listed */
#define FD_FOLDER ((struct stdio_stream *)(uintptr_t)1)

/* fd_entry.file of a number that was looked at: no file that is recorded.  NULL: nobody has
 * looked yet, as of all that a process is born with. */
#define FD_OTHER ((struct posix_file *)(uintptr_t)1)
/* ... that of a regular file whose name is excluded: only its bytes are counted (usage.h). */
#define FD_EXCLUDED ((struct posix_file *)(uintptr_t)2)
static inline struct posix_file *fd_followed(struct posix_file *file) {
  return LIKELY((uintptr_t)file > (uintptr_t)FD_EXCLUDED) ? file : NULL;
}

/* Besides the array in darshan_hot. */
struct fds_state {
  uint32_t highest;      /* highest number of which ever something was known */
  struct fd_entry **far; /* those from RUNTIME_FDS on, by pages; NULL: none yet */
};
extern struct fds_state fds_state __attribute__((visibility("hidden")));

/* The entry of a number; NULL: none, as long as nothing of it is followed. */
struct fd_entry *fd_entry_far(int fd);
static inline struct fd_entry *fd_entry(int fd) {
  if (UNLIKELY((uint32_t)fd >= darshan_hot.fd_limit)) return fd_entry_far(fd);
  return &darshan_hot.fds[fd];
}
/* 1 if this number can be followed, now. */
static inline int fd_can_follow(int fd) {
  return darshan_hot.fd_limit != 0 && (uint32_t)fd < RUNTIME_FDS_FAR;
}
/* The next number after this one that has an entry; -1: none that was ever followed. */
int fd_next(int fd);

/* The file behind a descriptor, NULL if it is not followed. */
static inline struct posix_file *posix_file_of(int fd) {
  if (UNLIKELY((uint32_t)fd >= darshan_hot.fd_limit)) {
    const struct fd_entry *entry = fd_entry_far(fd);
    return entry ? fd_followed(__atomic_load_n(&entry->file, __ATOMIC_RELAXED)) : NULL;
  }
  return fd_followed(__atomic_load_n(&darshan_hot.fds[fd].file, __ATOMIC_RELAXED));
}

/* The same for a call that the program makes with this number.  Of one that nobody has
 * looked at it is found out, once: one that only a stream used so far stands for the file
 * of the stream, any other for what the system says. */
struct posix_file *posix_file_of_stream(int fd);
struct posix_file *posix_file_look(int fd);
struct posix_file *posix_file_behind_far(int fd);
static inline struct posix_file *posix_file_behind(int fd) {
  if (UNLIKELY((uint32_t)fd >= darshan_hot.fd_limit)) return posix_file_behind_far(fd);
  struct posix_file *file = __atomic_load_n(&darshan_hot.fds[fd].file, __ATOMIC_RELAXED);
  if (LIKELY(file != NULL)) return fd_followed(file);
  return posix_file_look(fd);
}

/* Known to be a file whose name is excluded; asked of those that are not followed. */
static inline int fd_is_excluded(int fd) {
  return LIKELY((uint32_t)fd < darshan_hot.fd_limit) &&
         __atomic_load_n(&darshan_hot.fds[fd].file, __ATOMIC_RELAXED) == FD_EXCLUDED;
}

static inline struct posix_file *posix_file_at(uint32_t number) {
  return segments_at(&posix_state.files, number);
}

/* Where it stands, as far as this process knows: below 0 if it does not. */
static inline int64_t posix_place_of(const struct posix_file *file) {
  return file->adrift ? file->adrift : file->offset;
}

static inline uint32_t posix_file_number(const struct posix_file *file) {
  return file->number;
}

/* From now on the descriptor stands for this file (0: for nothing we follow). */
void fd_set_file(int fd, uint32_t file);
/* A number in use turned out to be one more descriptor of this file; 0: another thread
 * has found that out. */
int fd_found_file(int fd, struct posix_file *file);
/* What nobody had looked at is this file, or FD_OTHER; 0: somebody else was faster, or there
 * is no memory to remember it. */
int fd_looked_at(int fd, struct posix_file *what);
void fd_set_stream(int fd, struct stdio_stream *stream);

static inline int fd_is_free(const struct fd_entry *entry) {
  return ((uintptr_t)__atomic_load_n(&entry->file, __ATOMIC_RELAXED) |
          (uintptr_t)__atomic_load_n(&entry->stream, __ATOMIC_RELAXED)) == 0;
}

/* What the streams' module does when a descriptor with a stream is given a file, or
 * something that is not followed: from the next call on, the stream's bytes belong there. */
void stdio_descriptor_changed(int fd);
/* ... and when it is about to be closed by its number. */
void stdio_number_closed(struct stdio_stream *stream);

/* What rings.h does when a number that may be that of a ring is closed. */
void ring_closed(int fd);

/* The descriptor is about to be closed: what it stood for, NULL if nothing. */
struct posix_file *fd_release_slow(int fd);
void fd_dropped_slow(int fd);
static inline struct posix_file *fd_release(int fd) {
  const struct fd_entry *entry = fd_entry(fd);
  if (LIKELY(!entry || fd_is_free(entry))) return NULL;
  return fd_release_slow(fd);
}

/* The number was reused for something else. */
static inline void fd_dropped(int fd) {
  const struct fd_entry *entry = fd_entry(fd);
  if (UNLIKELY(entry && !fd_is_free(entry))) fd_dropped_slow(fd);
}
/* ... which is known; which is a file whose name is excluded. */
void fd_is_other(int fd);
void fd_excluded(int fd);

#endif
