/* A library that is loaded and unloaded, with I/O of its own, also during its unloading. */
#include <fcntl.h>
#include <unistd.h>

static const char *last_path;

/* Appends 10 bytes to the file. Returns 0, or -1 on failure. */
int plugin_write(const char *path) {
  last_path = path;
  int fd = open(path, O_CREAT | O_WRONLY | O_APPEND, 0644);
  if (fd < 0) return -1;
  int good = write(fd, "0123456789", 10) == 10;
  return close(fd) == 0 && good ? 0 : -1;
}

__attribute__((destructor)) static void unloaded(void) {
  if (last_path) plugin_write(last_path);
}
