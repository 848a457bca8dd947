/* Implements file access of the reader, and the function that fills an error. */
#include "reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int darshan_fail(struct darshan_error *error, const char *format, ...) {
  if (!error) return -1;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->text, sizeof(error->text), format, arguments);
  va_end(arguments);
  return -1;
}

int darshan_file_open(struct darshan_file *file, const char *path, struct darshan_error *error) {
  /* O_NONBLOCK prevents that opening a pipe without a writer blocks. */
  file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file->fd < 0) return darshan_fail(error, "%s", strerror(errno));
  struct stat status;
  if (fstat(file->fd, &status) != 0) return darshan_fail(error, "%s", strerror(errno));
  if (S_ISDIR(status.st_mode)) return darshan_fail(error, "is a directory");
  if (!S_ISREG(status.st_mode)) return darshan_fail(error, "is not a regular file");
  if (status.st_size == 0) return darshan_fail(error, "is empty");
  file->size = (uint64_t)status.st_size;
  return 0;
}

void darshan_file_restrict(struct darshan_file *file, uint64_t at, uint64_t length) {
  if (length == 0) return;
  file->base = at;
  file->size = length;
  file->is_part = true;
}

long darshan_file_read(const struct darshan_file *file, void *buffer, size_t n, uint64_t offset) {
  size_t done = 0;
  if (file->is_part) {
    if (offset >= file->size) return 0;
    if (n > file->size - offset) n = (size_t)(file->size - offset);
    offset += file->base;
  }
  while (done < n && offset + done < INT64_MAX) {
    ssize_t got = pread(file->fd, (char *)buffer + done, n - done, (off_t)(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += (size_t)got;
  }
  return (long)done;
}
