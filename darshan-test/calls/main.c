/* Runs the cases of the per-function tests. `calls --list` prints the functions that have a case.
 * `calls NAME DIR OUT` runs a case in the empty folder DIR, and writes the expected log and the
 * trace of errno values to OUT. Exit status 77 means skipped; the reason is on stdout. */
#include "calls.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

extern const struct test_case *const __start_cases[], *const __stop_cases[];

const char *test_dir;
char buffer[BUFFER_SIZE] __attribute__((aligned(4096)));
static const char *out_path;

enum { MAX_TRACE = 4096 };
static struct {
  int error;
  long value;
} steps[MAX_TRACE];
static int num_steps;

void trace(int error, long value) {
  if (num_steps == MAX_TRACE) return; /* a longer trace adds nothing */
  steps[num_steps].error = error;
  steps[num_steps++].value = value;
}

void raw_print(int fd, const char *text) {
  sys_write(fd, text, strlen(text));
}

void failed(const char *file, int line, const char *condition) {
  char text[512];
  snprintf(text, sizeof text, "%s:%d: not true: %s (errno %d)\n", file, line, condition, errno);
  raw_print(2, text);
  for (;;)
    SYS1(SYS_exit_group, 1);
}

void skip(const char *reason) {
  raw_print(1, reason);
  raw_print(1, "\n");
  for (;;)
    SYS1(SYS_exit_group, 77);
}

void permitted(int result) {
  if (result == -1 && errno == EPERM) skip("the kernel forbids this call here");
}

void need(const char *function) {
  static char text[160];
  /* The lookup is in libc itself, because the global scope has the wrapper's name. */
  void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  CHECK(libc != NULL);
  if (dlsym(libc, function) || dlvsym(libc, function, "GLIBC_2.2.5") ||
      dlvsym(libc, function, "GLIBC_2.17")) {
    return;
  }
  snprintf(text, sizeof text, "the C library has no %s", function);
  skip(text);
}

const char *in_dir(const char *name) {
  static char paths[64][512];
  static int used;
  CHECK(used < 64);
  char *path = paths[used++];
  CHECK(snprintf(path, sizeof paths[0], "%s/%s", test_dir, name) < (int)sizeof paths[0]);
  for (int i = 0; i < used - 1; i++) /* one address per name */
    if (!strcmp(paths[i], path)) return used--, paths[i];
  return path;
}

static void raw_fill(const char *path, const char *text, long size) {
  int fd = sys_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  CHECK(fd >= 0);
  while (size > 0) {
    long n = sys_write(fd, text, (size_t)(size < BUFFER_SIZE ? size : BUFFER_SIZE));
    CHECK(n > 0);
    size -= n;
  }
  sys_close(fd);
}

void raw_file(const char *path, long size) {
  raw_fill(path, buffer, size);
}
void raw_text(const char *path, const char *text) {
  raw_fill(path, text, (long)strlen(text));
}

int raw_open(const char *path, int flags) {
  int fd = (int)SYS4(SYS_openat, AT_FDCWD, path, flags, 0644);
  CHECK(fd >= 0);
  return fd;
}

void write_unseen(int fd, const char *path) {
  CHECK(C(write(fd, buffer, 700)) == 700);
  model_arrived(path);
  model_write(path, 700, buffer);
}

int open_file(const char *path, long size) {
  raw_file(path, size);
  int fd = C(open(path, O_RDWR));
  CHECK(fd >= 0);
  model_open(path, 0);
  return fd;
}

long raw_size(const char *path) {
  int fd = sys_open(path, O_RDONLY, 0);
  if (fd < 0) return -1;
  long size = SYS3(SYS_lseek, fd, 0, SEEK_END);
  sys_close(fd);
  return size;
}

void finish(void) {
  int fd = sys_open(out_path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  CHECK(fd >= 0);
  write_rows(fd);
  for (int i = 0; i < num_steps; i++) {
    char line[64];
    sys_write(
        fd, line,
        (size_t)snprintf(line, sizeof line, "t\t%d\t%ld\t-\n", steps[i].error, steps[i].value));
  }
  sys_close(fd);
}

void reap(pid_t child, int status) {
  int got = 0;
  CHECK(child > 0);
  long pid;
  do
    pid = SYS4(SYS_wait4, child, &got, 0, NULL);
  while (pid == -EINTR);
  CHECK(pid == child);
  CHECK(WIFEXITED(got) && WEXITSTATUS(got) == status);
}

void print_descriptors(void) {
  for (int fd = 0; fd < 4096; fd++) {
    char text[300], target[256];
    snprintf(text, sizeof text, "/proc/self/fd/%d", fd);
    long n = sys_readlink(text, target, sizeof target - 1);
    if (n < 0) continue;
    target[n] = '\0';
    /* The folder differs between two runs, the name does not. */
    const char *name = strrchr(target, '/');
    snprintf(text, sizeof text, "%d %.200s\n", fd, name ? name : "not a file");
    raw_print(1, text);
  }
}

static int list(void) {
  for (const struct test_case *const *entry = __start_cases; entry < __stop_cases; entry++) {
    if (!(*entry)->is_function) continue;
    raw_print(1, (*entry)->name);
    raw_print(1, "\n");
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "--list")) return list();
  if (argc == 2 && !strcmp(argv[1], "--nothing")) return 0; /* the program of the exec cases */
  if (argc == 2 && !strcmp(argv[1], "--descriptors")) return print_descriptors(), 0;
  if (argc != 4) {
    raw_print(2, "usage: calls --list | calls NAME DIR OUT\n");
    return 2;
  }
  test_dir = argv[2], out_path = argv[3];
  for (int i = 0; i < BUFFER_SIZE; i++)
    buffer[i] = (char)('a' + i % 26);
  for (const struct test_case *const *entry = __start_cases; entry < __stop_cases; entry++) {
    if (strcmp((*entry)->name, argv[1])) continue;
    (*entry)->run();
    finish();
    return 0;
  }
  raw_print(2, "calls: no such case\n");
  return 2;
}
