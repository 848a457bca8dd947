/* The table of descriptors: the file or stream that each descriptor refers to. A stale entry would
 * count one file's transfers for another file, so every call that creates or closes a descriptor
 * uses these functions. Entries of the first RUNTIME_FDS descriptors are an array. Entries of the
 * others are allocated a page (256 entries) at a time, when one of its descriptors gets a file or
 * stream. */
#ifndef DARSHAN_FDS_H
#define DARSHAN_FDS_H

#include "../../door/door.h"
#include "../../names/descriptors.h"
#include "posix-state.h"

/* Value of fd_entry.stream for a folder that is being listed. */
#define FD_FOLDER ((struct stdio_stream *)(uintptr_t)1)

/* Value of fd_entry.file for a descriptor that is classified as not recorded. NULL: it is not
 * classified yet, like all inherited descriptors. */
#define FD_OTHER ((struct posix_file *)(uintptr_t)1)
/* Value of fd_entry.file for a regular file whose name is excluded: only its bytes are counted
 * (usage.h). fd_followed returns NULL for both values, else the file. */
#define FD_EXCLUDED ((struct posix_file *)(uintptr_t)2)
static inline struct posix_file *fd_followed(struct posix_file *file) {
  return LIKELY((uintptr_t)file > (uintptr_t)FD_EXCLUDED) ? file : NULL;
}

/* State of the table that is not in darshan_hot. */
struct fds_state {
  uint32_t highest;      /* highest descriptor that ever had an entry */
  struct fd_entry **far; /* pages of entries from RUNTIME_FDS on; NULL: no page yet */
};
extern struct fds_state fds_state __attribute__((visibility("hidden")));

/* fd_entry returns the entry of a descriptor; NULL if its page is not allocated, if fd is no
 * descriptor, or if the process does not record. fd_entry_far is its part for descriptors that are
 * not in the array. */
struct fd_entry *fd_entry_far(int fd);
static inline struct fd_entry *fd_entry(int fd) {
  if (UNLIKELY((uint32_t)fd >= darshan_hot.fd_limit)) return fd_entry_far(fd);
  return &darshan_hot.fds[fd];
}
/* Returns 1 if the runtime can have an entry for the descriptor now: the process is recorded, and
 * fd is from 0 to RUNTIME_FDS_FAR - 1. Otherwise returns 0. */
static inline int fd_can_follow(int fd) {
  return darshan_hot.fd_limit != 0 && (uint32_t)fd < RUNTIME_FDS_FAR;
}
/* Returns the next descriptor after fd that has an entry, which may be free; -1 if there is none.
 * fd: -1: from the first one. */
int fd_next(int fd);

/* Returns the file of a descriptor; NULL if it is not recorded or not classified. */
static inline struct posix_file *posix_file_of(int fd) {
  if (UNLIKELY((uint32_t)fd >= darshan_hot.fd_limit)) {
    const struct fd_entry *entry = fd_entry_far(fd);
    return entry ? fd_followed(__atomic_load_n(&entry->file, __ATOMIC_RELAXED)) : NULL;
  }
  return fd_followed(__atomic_load_n(&darshan_hot.fds[fd].file, __ATOMIC_RELAXED));
}

/* posix_file_behind returns the file of a descriptor, and first classifies a descriptor that is not
 * classified yet; NULL if it is not recorded. If only a stream has used the descriptor so far, the
 * result is the file of the stream; otherwise the kernel is queried. The other functions are its
 * slow paths. */
struct posix_file *posix_file_of_stream(int fd);
struct posix_file *posix_file_look(int fd);
struct posix_file *posix_file_behind_far(int fd);
static inline struct posix_file *posix_file_behind(int fd) {
  if (UNLIKELY((uint32_t)fd >= darshan_hot.fd_limit)) return posix_file_behind_far(fd);
  struct posix_file *file = __atomic_load_n(&darshan_hot.fds[fd].file, __ATOMIC_RELAXED);
  if (LIKELY(file != NULL)) return fd_followed(file);
  return posix_file_look(fd);
}

/* posix_entry_behind returns the file of a descriptor like posix_file_behind. For a descriptor that
 * is not recorded, it returns the class: FD_EXCLUDED for a regular file without a record (its name
 * is excluded, too long or not known), FD_OTHER for any other kind, NULL if it cannot be classified
 * now. For a descriptor from fd_limit on, it returns NULL in place of a class.
 * posix_file_or_excluded is its slow path, for an entry that is NULL. */
struct posix_file *posix_file_or_excluded(int fd);
static inline struct posix_file *posix_entry_behind(int fd) {
  if (UNLIKELY((uint32_t)fd >= darshan_hot.fd_limit)) return posix_file_behind_far(fd);
  struct posix_file *file = __atomic_load_n(&darshan_hot.fds[fd].file, __ATOMIC_RELAXED);
  return LIKELY(file != NULL) ? file : posix_file_or_excluded(fd);
}

/* Returns the state of the file with this number, from 1 to posix_state.used_files. */
static inline struct posix_file *posix_file_at(uint32_t number) {
  return segments_at(&posix_state.files, number);
}

/* Returns the position of the file, in bytes, as this process tracks it; a negative number if it is
 * unknown (posix_file.adrift). */
static inline int64_t posix_place_of(const struct posix_file *file) {
  return file->adrift ? file->adrift : file->offset;
}

static inline uint32_t posix_file_number(const struct posix_file *file) {
  return file->number;
}

/* Assigns the file of this number (0: none) to the descriptor, whatever the entry had before. Does
 * not change the file's number of descriptors. */
void fd_set_file(int fd, uint32_t file);
/* Assigns this file to an open descriptor that is not classified yet, and adds the descriptor to
 * those of the file. Returns 1, or 0 if another thread was faster or the descriptor has no
 * entry. */
int fd_found_file(int fd, struct posix_file *file);
/* Classifies a descriptor that is not classified yet as this file, FD_OTHER or FD_EXCLUDED. Returns
 * 1, or 0 if another thread was faster or if out of memory. */
int fd_looked_at(int fd, struct posix_file *what);
/* Stores the stream of a descriptor (FD_FOLDER: a folder that is listed; NULL: none). */
void fd_set_stream(int fd, struct stdio_stream *stream);

/* Returns 1 if the entry has neither a file, FD_OTHER or FD_EXCLUDED, nor a stream. */
static inline int fd_is_free(const struct fd_entry *entry) {
  return ((uintptr_t)__atomic_load_n(&entry->file, __ATOMIC_RELAXED) |
          (uintptr_t)__atomic_load_n(&entry->stream, __ATOMIC_RELAXED)) == 0;
}

/* Notes that the descriptor of a stream got a new file, or is no longer recorded: from the next
 * call on, the stream's bytes count for the new file. Implemented by the STDIO module. */
void stdio_descriptor_changed(int fd);
/* Notes that the descriptor of the stream is about to be closed by a call that bypasses the stream.
 * Implemented by the STDIO module. */
void stdio_number_closed(struct stdio_stream *stream);

/* Forgets the io_uring ring that has this descriptor, if there is one, because the descriptor is
 * closed. Implemented by rings.c. */
void ring_closed(int fd);

/* fd_release forgets a descriptor that is about to be closed. Returns its file, which then has one
 * descriptor less, or NULL if it is not recorded. fd_release_slow and fd_dropped_slow are the slow
 * paths, for an entry that is not free. */
struct posix_file *fd_release_slow(int fd);
void fd_dropped_slow(int fd);
static inline struct posix_file *fd_release(int fd) {
  const struct fd_entry *entry = fd_entry(fd);
  if (LIKELY(!entry || fd_is_free(entry))) return NULL;
  return fd_release_slow(fd);
}

/* Forgets the file of a descriptor, because the descriptor was reused for something else. */
static inline void fd_dropped(int fd) {
  const struct fd_entry *entry = fd_entry(fd);
  if (UNLIKELY(entry && !fd_is_free(entry))) fd_dropped_slow(fd);
}
/* Mark a new descriptor as not recorded, and forget what it was before: fd_is_other if it is not a
 * regular file (FD_OTHER), fd_excluded if the file's name is excluded (FD_EXCLUDED). */
void fd_is_other(int fd);
void fd_excluded(int fd);

#endif
