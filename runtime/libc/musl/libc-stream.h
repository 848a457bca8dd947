/* Members of musl's FILE, which its headers do not declare. Their offsets have been the same since
 * musl 0.9. */
#ifndef DARSHAN_LIBC_STREAM_H
#define DARSHAN_LIBC_STREAM_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <wchar.h>

struct musl_stream {
  unsigned flags;
  unsigned char *read_at, *read_end;
  void *close;
  unsigned char *write_end, *write_at, *unused;
  unsigned char *write_base;
  void *read, *write, *seek;
  unsigned char *buffer;
  size_t buffer_size;
  void *previous, *next;
  int fd;
  int pipe_pid;
  long lock_count;
  int mode;
  volatile int lock;
  int line_end; /* after this character libc writes the buffer; -1: none */
};

enum { MUSL_NO_READS = 4, MUSL_AT_END = 16, MUSL_APPENDS = 128 };

static inline const struct musl_stream *stream_inside(const FILE *file) {
  return (const struct musl_stream *)(const void *)file;
}

static inline int stream_fd(const FILE *file) {
  return stream_inside(file)->fd;
}

/* Returns the start of the data read ahead, or NULL if nothing was read. The buffer is filled from
 * its start, after the space for bytes that are pushed back. */
static inline const char *stream_read_base(const FILE *file) {
  return stream_inside(file)->read_end ? (const char *)stream_inside(file)->buffer : NULL;
}
static inline const char *stream_read_at(const FILE *file) {
  return (const char *)stream_inside(file)->read_at;
}
static inline const char *stream_read_end(const FILE *file) {
  return (const char *)stream_inside(file)->read_end;
}

static inline const char *stream_write_base(const FILE *file) {
  return (const char *)stream_inside(file)->write_base;
}
static inline const char *stream_write_at(const FILE *file) {
  return (const char *)stream_inside(file)->write_at;
}

static inline size_t stream_buffer_size(const FILE *file) {
  return stream_inside(file)->buffer_size;
}

static inline int stream_is_unbuffered(const FILE *file) {
  return stream_inside(file)->buffer_size == 0;
}
static inline int stream_is_line_buffered(const FILE *file) {
  return stream_inside(file)->line_end >= 0;
}
static inline int stream_is_putting(const FILE *file) {
  return stream_inside(file)->write_end != NULL;
}
static inline int stream_is_at_end(const FILE *file) {
  return (stream_inside(file)->flags & MUSL_AT_END) != 0;
}
static inline int stream_appends(const FILE *file) {
  return (stream_inside(file)->flags & MUSL_APPENDS) != 0;
}
static inline int stream_only_writes(const FILE *file) {
  return (stream_inside(file)->flags & MUSL_NO_READS) != 0;
}
enum { STREAM_OPENS_AT_END = 0 };
/* Returns 0: musl stores bytes that ungetc pushed back in the same buffer, before the others. */
static inline int stream_is_in_backup(const FILE *file) {
  (void)file;
  return 0;
}
/* Return 0: it is not known here which calls only move a pointer. */
static inline int stream_serves_read(const FILE *file, int64_t bytes) {
  (void)file, (void)bytes;
  return 0;
}
static inline int stream_serves_write(const FILE *file, int64_t bytes) {
  (void)file, (void)bytes;
  return 0;
}
static inline int stream_takes_back(const FILE *file, int c) {
  (void)file, (void)c;
  return 0;
}
static inline const wchar_t *stream_next_wide(const FILE *file) {
  (void)file;
  return NULL;
}
static inline int stream_serves_wide_write(const FILE *file) {
  (void)file;
  return 0;
}
static inline int stream_is_wide(const FILE *file) {
  return stream_inside(file)->mode > 0;
}

#endif
