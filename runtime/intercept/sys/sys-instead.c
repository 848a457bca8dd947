/* Substitutes for system calls that a seccomp filter may forbid. */
#include "sys-gate.h"

#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include "sys.h"

extern char **__environ; /* used because a program may define the variable environ itself */

enum { REFUSED = -1 /* -EPERM */ };

static ssize_t read_start(const char *path, char *text, size_t room) {
  int fd = sys_open(path, O_RDONLY, 0);
  if (fd < 0) return fd;
  ssize_t n = sys_read(fd, text, room);
  sys_close(fd);
  return n;
}

pid_t instead_of_getpid(void) {
  char text[32];
  pid_t pid = 0;
  ssize_t n = read_start("/proc/self/stat", text, sizeof(text));
  for (ssize_t i = 0; i < n && text[i] >= '0' && text[i] <= '9'; i++)
    pid = pid * 10 + (text[i] - '0');
  return pid ? pid : REFUSED;
}

unsigned instead_of_getuid(void) {
  return (unsigned)getauxval(AT_UID);
}
unsigned instead_of_geteuid(void) {
  return (unsigned)getauxval(AT_EUID);
}

void instead_of_uname(char *node, size_t n) {
  ssize_t got = read_start("/proc/sys/kernel/hostname", node, n - 1);
  node[got > 0 ? got : 0] = '\0';
  node[strcspn(node, "\n")] = '\0';
}

static int look_at(const char *path, struct stat *st) {
  int fd = sys_open(path, O_PATH, 0);
  if (fd < 0) return fd;
  int result = sys_fstat(fd, st);
  sys_close(fd);
  return result;
}

ssize_t instead_of_getcwd(char *buf, size_t n) {
  struct stat st; /* one struct for both files, to use less of the caller's stack */
  const char *path = NULL;
  for (char **entry = __environ; entry && *entry && !path; entry++)
    if (strncmp(*entry, "PWD=/", 5) == 0) path = *entry + 4;
  if (!path || strlen(path) >= n || look_at(".", &st) < 0) return REFUSED;
  dev_t dev = st.st_dev;
  ino_t ino = st.st_ino;
  if (look_at(path, &st) < 0 || st.st_dev != dev || st.st_ino != ino) return REFUSED;
  memcpy(buf, path, strlen(path) + 1);
  return (ssize_t)strlen(path) + 1;
}

int instead_of_access_to_run(const char *path) {
  struct stat st;
  return look_at(path, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 0111);
}
