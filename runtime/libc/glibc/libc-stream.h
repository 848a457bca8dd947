/* Members of glibc's FILE, which are part of its ABI. */
#ifndef DARSHAN_LIBC_STREAM_H
#define DARSHAN_LIBC_STREAM_H

#include <stdint.h>
#include <stdio.h>
#include <wchar.h>

/* Bits of FILE._flags. */
enum {
  STREAM_UNBUFFERED = 0x2,
  STREAM_NO_READS = 0x4,
  STREAM_AT_END = 0x10,
  STREAM_IN_BACKUP = 0x100,
  STREAM_LINE_BUFFERED = 0x200,
  STREAM_PUTTING = 0x800,
  STREAM_APPENDS = 0x1000
};

static inline int stream_fd(const FILE *file) {
  return file->_fileno;
}

/* Return the bounds of the data that libc has read ahead: stream_read_base its start,
 * stream_read_end its end, and stream_read_at the first byte that the application has not read. */
static inline const char *stream_read_base(const FILE *file) {
  return file->_IO_read_base;
}
static inline const char *stream_read_at(const FILE *file) {
  return file->_IO_read_ptr;
}
static inline const char *stream_read_end(const FILE *file) {
  return file->_IO_read_end;
}

/* Return the bounds of the data that the application has written to the stream and libc has not yet
 * written to the file: stream_write_base its start, stream_write_at its end. */
static inline const char *stream_write_base(const FILE *file) {
  return file->_IO_write_base;
}
static inline const char *stream_write_at(const FILE *file) {
  return file->_IO_write_ptr;
}

static inline size_t stream_buffer_size(const FILE *file) {
  return (size_t)(file->_IO_buf_end - file->_IO_buf_base);
}

static inline int stream_is_unbuffered(const FILE *file) {
  return (file->_flags & STREAM_UNBUFFERED) != 0;
}
static inline int stream_is_line_buffered(const FILE *file) {
  return (file->_flags & STREAM_LINE_BUFFERED) != 0;
}
static inline int stream_is_putting(const FILE *file) {
  return (file->_flags & STREAM_PUTTING) != 0;
}
/* Returns 1 if a read of the stream has met the end of the file, as feof does, otherwise 0. */
static inline int stream_is_at_end(const FILE *file) {
  return (file->_flags & STREAM_AT_END) != 0;
}
static inline int stream_appends(const FILE *file) {
  return (file->_flags & STREAM_APPENDS) != 0;
}
/* Returns 1 if the stream cannot read (its mode has no "r" and no "+"), otherwise 0. */
static inline int stream_only_writes(const FILE *file) {
  return (file->_flags & STREAM_NO_READS) != 0;
}
/* 1: fopen with the mode "a" moves the descriptor to the end of the file. */
enum { STREAM_OPENS_AT_END = 1 };
/* Returns 1 if the stream reads bytes that ungetc pushed back, otherwise 0. These bytes are in a
 * separate area, and the buffer is not in use while they are read. */
static inline int stream_is_in_backup(const FILE *file) {
  return (file->_flags & STREAM_IN_BACKUP) != 0;
}
/* Return 1 if a read or a write of this many bytes, at least 1, only copies them and moves a
 * pointer in the buffer, as the macros of stdio.h do, or if ungetc of c only moves a pointer.
 * Otherwise return 0. */
static inline int stream_serves_read(const FILE *file, int64_t bytes) {
  return file->_IO_read_end - file->_IO_read_ptr >= bytes && !stream_is_in_backup(file);
}
static inline int stream_serves_write(const FILE *file, int64_t bytes) {
  return file->_IO_write_end - file->_IO_write_ptr >= bytes;
}
static inline int stream_takes_back(const FILE *file, int c) {
  return c != EOF && file->_IO_read_ptr > file->_IO_read_base && !stream_is_in_backup(file) &&
         (unsigned char)file->_IO_read_ptr[-1] == (unsigned char)c;
}
static inline int stream_is_wide(const FILE *file) {
  return file->_mode > 0;
}

/* The beginning of a FILE's data for wide characters, the same in every glibc. */
struct stream_wide {
  wchar_t *read_ptr, *read_end, *read_base;
  wchar_t *write_base, *write_ptr, *write_end;
  wchar_t *buf_base, *buf_end;
  wchar_t *save_base, *backup_base, *save_end;
};
static inline const struct stream_wide *stream_wide(const FILE *file) {
  return (const struct stream_wide *)file->_wide_data;
}
/* Returns the wide character that the next call reads, if it only copies it and moves a pointer;
 * otherwise NULL. */
static inline const wchar_t *stream_next_wide(const FILE *file) {
  const struct stream_wide *wide = stream_wide(file);
  if (!stream_is_wide(file) || stream_is_in_backup(file) || !wide) return NULL;
  return wide->read_ptr < wide->read_end ? wide->read_ptr : NULL;
}
/* Returns 1 if a write of a wide character only copies it and moves a pointer, otherwise 0. */
static inline int stream_serves_wide_write(const FILE *file) {
  const struct stream_wide *wide = stream_wide(file);
  return stream_is_wide(file) && wide && wide->write_ptr < wide->write_end;
}

#endif
