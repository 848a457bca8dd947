#include "durable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int durable = 1;

int complain(const char *what, const char *path) {
  fprintf(stderr, "h5edit: %s %s: %s\n", what, path, strerror(errno));
  return -1;
}

int read_all(int fd, void *buffer, size_t size, off_t offset) {
  char *at = buffer;
  while (size > 0) {
    ssize_t got = pread(fd, at, size, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = EIO;
    if (got <= 0) return -1;
    at += got;
    size -= (size_t)got;
    offset += got;
  }
  return 0;
}

int write_all(int fd, const void *buffer, size_t size, off_t offset) {
  const char *at = buffer;
  while (size > 0) {
    ssize_t put = pwrite(fd, at, size, offset);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return -1;
    at += put;
    size -= (size_t)put;
    offset += put;
  }
  return 0;
}

int sync_descriptor(int fd) {
  return durable ? fsync(fd) : 0;
}

/* Syncs the file or folder of this name. Returns 0, or -1 with errno. flags: for open. */
static int sync_path(const char *path, int flags) {
  int fd = durable ? open(path, O_RDONLY | O_CLOEXEC | flags) : -1;
  if (!durable) return 0;
  if (fd < 0) return -1;
  int status = fsync(fd), kept = errno;
  close(fd);
  errno = kept;
  return status;
}

int sync_file(const char *path) {
  return sync_path(path, 0);
}

int sync_folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
  int status = folder ? sync_path(folder, O_DIRECTORY) : -1, kept = errno;
  free(folder);
  errno = kept;
  return status;
}

char *hidden_name(const char *path, const char *suffix) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  size_t size = strlen(path) + strlen(suffix) + 2;
  char *made = malloc(size);
  if (made) snprintf(made, size, "%.*s.%s%s", (int)(name - path), path, name, suffix);
  return made;
}
