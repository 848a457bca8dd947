/* Programs that make invalid or unusual calls. In most cases it is enough that they end as without
 * the library. */
#include "../calls.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

/* Calls with bad pointers: the kernel must reject them as without the runtime. */
SCENARIO(bad_pointers) {
  const char *volatile nowhere = (const char *)8, *volatile null = NULL;
  struct stat *volatile no_stat = (struct stat *)8;
  const char *path = in_dir("file");
  struct stat st;
  int fd = C(open(path, O_CREAT | O_RDWR, 0644)), ends[2];
  model_open(path, 0644);
  CHECK(SYS2(SYS_pipe2, ends, 0) == 0);
  for (int i = 0; i < 2; i++) {
    const char *bad = i ? nowhere : null;
    CHECK(C(open(bad, O_RDONLY)) == -1 && errno == EFAULT);
    CHECK(C(openat(fd, bad, O_RDONLY)) == -1 && errno == EFAULT);
    CHECK(C(stat(bad, &st)) == -1 && C(access(bad, R_OK)) == -1);
    CHECK(C(rename(bad, path)) == -1 && C(rename(path, bad)) == -1);
    CHECK(C(unlink(bad)) == -1 && C(mkdir(bad, 0755)) == -1 && C(chdir(bad)) == -1);
    CHECK(C(truncate(bad, 0)) == -1 && C(chmod(bad, 0600)) == -1 && C(symlink(bad, bad)) == -1);
    CHECK(C(fopen(bad, "r")) == NULL);
  }
  CHECK(C(fstat(fd, no_stat)) == -1 && C(stat(path, no_stat)) == -1);
  CHECK(C(read(ends[0], (void *)nowhere, 0)) == 0);
  CHECK(C(write(fd, nowhere, 10)) == -1 && errno == EFAULT);
  CHECK(C(writev(fd, (const struct iovec *)nowhere, 2)) == -1 && errno == EFAULT);
  CHECK(C(writev(fd, NULL, 0)) == 0);
  model_write(path, 0, NULL);
  volatile int none = -1;
  CHECK(C(writev(fd, NULL, none)) == -1 && errno == EINVAL);
}

/* The runtime does not read a buffer without read permission, such as that of a mapped device. */
SCENARIO(unreadable_buffer) {
  const char *path = in_dir("file");
  raw_file(path, 4096);
  int fd = C(open(path, O_RDONLY));
  model_open(path, 0);
  char *write_only = sys_mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(C(pread(fd, write_only, 4096, 0)) == -1 && errno == EFAULT);
  CHECK(C(pread(fd, write_only, 4096, 4096)) == 0);
  model_pread(path, 4096, 0, write_only);
}

/* Calls with a path longer than PATH_MAX. */
SCENARIO(too_long_path) {
  static char path[3 * PATH_MAX];
  struct stat st;
  memset(path, 'a', sizeof path - 1);
  CHECK(C(open(path, O_CREAT | O_RDWR, 0644)) == -1 && errno == ENAMETOOLONG);
  CHECK(C(stat(path, &st)) == -1 && C(rename(path, path)) == -1 && C(unlink(path)) == -1);
  CHECK(C(fopen(path, "r")) == NULL);
}

/* Works in a folder so deep that its path is longer than PATH_MAX. */
SCENARIO(deep_folder) {
  static char name[201];
  memset(name, 'd', 200);
  for (int i = 0; i < 30; i++)
    CHECK(C(mkdir(name, 0755)) == 0 && C(chdir(name)) == 0);
  int fd = C(open("file", O_CREAT | O_RDWR, 0644));
  struct stat st;
  CHECK(fd >= 0 && SYS4(SYS_newfstatat, fd, "", &st, AT_EMPTY_PATH) == 0);
  CHECK(C(write(fd, buffer, 100)) == 100 && C(close(fd)) == 0);
  expect_sum("POSIX_EXT_MKDIRS", 30);
  /* The path is unknown, so the record has the name of a file without a path. */
  char unnamed[80];
  snprintf(unnamed, sizeof unnamed, "<file %u:%u/%lu>", major(st.st_dev), minor(st.st_dev),
           (unsigned long)st.st_ino);
  expect_nothing_about(unnamed);
  expect_sum("POSIX_OPENS", 2);
  expect_sum("POSIX_BYTES_WRITTEN", 100);
  CHECK(C(chdir(test_dir)) == 0);
  CHECK(C(open("file", O_CREAT | O_RDWR, 0600)) >= 0);
  model_open(in_dir("file"), 0600);
}

/* A path of more than a thousand bytes works like any other. */
SCENARIO(long_path) {
  static char path[2048];
  int n = snprintf(path, sizeof path, "%s", test_dir);
  for (int i = 0; i < 8; i++) {
    n += snprintf(path + n, sizeof path - (size_t)n, "/%0150d", i);
    CHECK(sys_mkdir(path, 0755) == 0);
  }
  snprintf(path + n, sizeof path - (size_t)n, "/file");
  int fd = C(open(path, O_CREAT | O_RDWR, 0644));
  CHECK(fd >= 0);
  model_open(path, 0644);
  CHECK(C(write(fd, buffer, 100)) == 100);
  model_write(path, 100, buffer);
}

/* Works in a folder that was removed. */
SCENARIO(removed_folder) {
  CHECK(sys_mkdir(in_dir("folder"), 0755) == 0 && C(chdir(in_dir("folder"))) == 0);
  CHECK(SYS3(SYS_unlinkat, AT_FDCWD, in_dir("folder"), AT_REMOVEDIR) == 0);
  CHECK(C(open("file", O_CREAT | O_RDWR, 0644)) == -1 && errno == ENOENT);
  expect_any(OTHER_PATHS, "POSIX_EXT_MISSES");
  CHECK(C(chdir(test_dir)) == 0);
  CHECK(C(open("file", O_CREAT | O_RDWR, 0644)) >= 0);
  model_open(in_dir("file"), 0644);
}

/* Uses a file in a thread that has the smallest allowed stack. */
static void *with_small_stack(void *argument) {
  struct stat st;
  const char *path = argument;
  int fd = open(path, O_CREAT | O_RDWR, 0644);
  CHECK(fd >= 0 && write(fd, buffer, 10) == 10 && fstat(fd, &st) == 0 && stat(path, &st) == 0);
  CHECK(close(fd) == 0 && rename(path, in_dir("renamed")) == 0);
  return NULL;
}

SCENARIO(small_stack) {
  pthread_t thread;
  pthread_attr_t attributes;
  const char *path = in_dir("file");
  CHECK(pthread_attr_init(&attributes) == 0);
  CHECK(pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN) == 0);
  CHECK(pthread_create(&thread, &attributes, with_small_stack, (void *)path) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  model_open(path, 0644);
  model_write(path, 10, buffer);
  model_stat(path);
  model_stat(path);
  model_close(path);
  model_rename(path, in_dir("renamed"));
}

/* A thread is cancelled while it waits in a call. */
static int pipe_ends[2];

static void *wait_for_ever(void *argument) {
  char byte;
  (void)argument;
  int fd = open(in_dir("pipe"), O_RDWR);
  CHECK(fd >= 0);
  sys_write(pipe_ends[1], "x", 1);
  CHECK(read(fd, &byte, 1) == -2); /* the call does not return */
  return NULL;
}

SCENARIO(cancelled_thread) {
  pthread_t thread;
  void *result;
  char byte;
  CHECK(SYS4(SYS_mknodat, AT_FDCWD, in_dir("pipe"), S_IFIFO | 0600, 0) == 0);
  CHECK(SYS2(SYS_pipe2, pipe_ends, 0) == 0);
  CHECK(pthread_create(&thread, NULL, wait_for_ever, NULL) == 0);
  CHECK(sys_read(pipe_ends[0], &byte, 1) == 1);
  SYS2(SYS_nanosleep, (&(struct timespec){0, 20000000}), NULL);
  CHECK(pthread_cancel(thread) == 0);
  CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
  model_open(in_dir("pipe"), 0);
  const char *path = in_dir("file");
  int fd = C(open(path, O_CREAT | O_RDWR, 0644));
  model_open(path, 0644);
  CHECK(C(write(fd, buffer, 10)) == 10);
  model_write(path, 10, buffer);
}

/* Standard descriptors are closed, as coreutils do at exit. Files that are opened then get their
 * numbers. */
SCENARIO(closed_standard_descriptors) {
  const char *path = in_dir("file");
  CHECK(C(close(0)) == 0 && C(close(1)) == 0);
  int fd = C(open(path, O_CREAT | O_RDWR, 0644));
  CHECK(fd == 0);
  model_open(path, 0644);
  CHECK(C(write(fd, buffer, 10)) == 10);
  model_write(path, 10, buffer);
}

/* Opens as many descriptors as the limit allows. */
SCENARIO(many_descriptors) {
  const char *path = in_dir("file");
  struct rlimit limit;
  CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  limit.rlim_cur = limit.rlim_max < 20000 ? limit.rlim_max : 20000;
  CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  int last = -1;
  for (int fd; (fd = open(path, O_CREAT | O_RDWR, 0644)) >= 0; last = fd)
    model_open(path, 0644);
  CHECK(errno == EMFILE && last == (int)limit.rlim_cur - 1);
  CHECK(C(pwrite(last, buffer, 10, 0)) == 10);
  model_pwrite(path, 0, 10, buffer);
  SYS1(SYS_close, last); /* finish() needs a descriptor */
}

/* The environment is cleared after the start; the settings at the start still hold. */
SCENARIO(cleared_environment) {
  extern int clearenv(void);
  const char *path = in_dir("file");
  CHECK(clearenv() == 0);
  CHECK(C(open(path, O_CREAT | O_RDWR, 0644)) >= 0);
  model_open(path, 0644);
}

/* --- ends at a bad moment ------------------------------------------------- */

static void leave(int signal) {
  (void)signal;
  _exit(0);
}

/* A signal handler ends the process at any point. No process hangs, and the open of every child is
 * in a log. The CPU time limit stops a child that loops. */
SCENARIO(exit_in_handler) {
  enum { CHILDREN = 25 };
  const char *path = in_dir("file");
  for (int i = 0; i < CHILDREN; i++) {
    pid_t child = fork();
    if (child == 0) {
      struct itimerval timer = {{0, 0}, {0, 1500 + 137 * i}};
      struct rlimit processor = {10, 10};
      int fd = open(path, O_CREAT | O_RDWR, 0644);
      CHECK(fd >= 0 && setrlimit(RLIMIT_CPU, &processor) == 0);
      CHECK(signal(SIGALRM, leave) != SIG_ERR && setitimer(ITIMER_REAL, &timer, NULL) == 0);
      for (;;)
        CHECK(pwrite(fd, buffer, 16, 0) == 16);
    }
    reap(child, 0);
  }
  expect_nothing_about(path);
  expect_sum("POSIX_OPENS", CHILDREN);
}

static atomic_int running;

static void *never_stop(void *argument) {
  int fd = open(argument, O_CREAT | O_RDWR, 0644);
  CHECK(fd >= 0);
  running++;
  for (;;)
    CHECK(pwrite(fd, buffer, 16, 0) == 16);
  return NULL;
}

static void start_threads(void) {
  static const char *const names[] = {"0", "1", "2"};
  for (int i = 0; i < 3; i++) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, never_stop, (void *)in_dir(names[i])) == 0);
    expect_nothing_about(in_dir(names[i]));
  }
  while (running < 3)
    SYS1(SYS_sched_yield, 0);
  expect_sum("POSIX_OPENS", 3);
}

/* The program ends while its threads write. */
SCENARIO(exit_while_threads_write) {
  start_threads();
}

SCENARIO(exec_while_threads_write) {
  static char self[512];
  start_threads();
  CHECK(sys_readlink("/proc/self/exe", self, sizeof self - 1) > 0);
  finish();
  execl(self, self, "--nothing", (char *)NULL);
  failed(__FILE__, __LINE__, "execl came back");
}
