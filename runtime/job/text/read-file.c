/* Reads a file into an anonymous mapping (text.h). */
#include "text.h"

#include <errno.h>
#include <sys/mman.h>

#include "../../intercept/sys/sys.h"

int darshan_read_file(struct darshan_file *file, const char *path, size_t limit) {
  int fd = sys_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
  if (fd < 0) return fd;
  /* The limit may be large, because only pages that are written take memory. */
  void *at = sys_mmap(NULL, limit, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (sys_failed(at)) {
    sys_close(fd);
    return -ENOMEM;
  }
  struct darshan_file read = {.bytes = at, .mapped = limit};
  ssize_t got;
  do {
    got = sys_read(fd, read.bytes + read.length, limit - read.length);
    if (got > 0) read.length += (size_t)got;
  } while (got == -EINTR || (got > 0 && read.length < limit));
  sys_close(fd);
  if (got < 0) {
    darshan_release_file(&read);
    return (int)got;
  }
  *file = read;
  return 0;
}

void darshan_release_file(struct darshan_file *file) {
  sys_munmap(file->bytes, file->mapped);
  *file = (struct darshan_file){0};
}
