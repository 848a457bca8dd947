/* Times one kind of call in a loop: cost KIND CALLS THREADS FOLDER. Each of THREADS threads makes
 * CALLS calls on its own file in FOLDER. Prints nanoseconds of processor time per call, the mean
 * over the threads. The difference between a run with and a run without the runtime is the
 * runtime's cost. Ends with 1 if a call fails, with 2 on wrong arguments. */
#include <err.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include "processor-time.h"

enum { MAX_THREADS = 64, BLOCK = 64, ROOM = 4096 };

/* The work of a thread. */
struct task {
  void (*loop)(struct task *);
  long calls;
  char path[ROOM];
  double ns; /* result, per call */
};

/* Ends the program with errno's meaning if something was not done. */
static void must(int done, const char *what) {
  if (!done) err(1, "%s", what);
}

/* Creates the thread's file with 4,096 bytes. Returns its descriptor. */
static int open_file(const struct task *task) {
  char block[ROOM] = "";
  int fd = open(task->path, O_RDWR | O_CREAT, 0600);
  must(fd >= 0 && pwrite(fd, block, sizeof(block), 0) == (ssize_t)sizeof(block), task->path);
  return fd;
}

/* Executes the statement task->calls times, with the index `i`, and stores the nanoseconds per
 * call. */
#define TIMED(task, statement)                                                                     \
  do {                                                                                             \
    double start = processor_ns();                                                                 \
    for (long i = 0; i < (task)->calls; i++)                                                       \
      statement;                                                                                   \
    (task)->ns = (processor_ns() - start) / (double)(task)->calls;                                 \
  } while (0)

/* Times two readings of the clock's counter, the least that a wrapper needs. */
static void loop_ticks(struct task *task) {
#if defined(__x86_64__)
  uint64_t sum = 0;
  TIMED(task, (sum -= __builtin_ia32_rdtsc(), sum += __builtin_ia32_rdtsc()));
  *(volatile uint64_t *)task->path = sum;
#else
  struct timespec now;
  TIMED(task, (clock_gettime(CLOCK_MONOTONIC, &now), clock_gettime(CLOCK_MONOTONIC, &now)));
#endif
}

/* Times pread of 64 bytes at 32 offsets in turn. */
static void loop_pread(struct task *task) {
  char buffer[BLOCK];
  int fd = open_file(task);
  TIMED(task, must(pread(fd, buffer, BLOCK, (i & 31) * BLOCK) == BLOCK, "pread"));
  close(fd);
}

/* Times pwrite of 64 bytes at 32 offsets in turn. */
static void loop_pwrite(struct task *task) {
  char buffer[BLOCK] = "";
  int fd = open_file(task);
  TIMED(task, must(pwrite(fd, buffer, BLOCK, (i & 31) * BLOCK) == BLOCK, "pwrite"));
  close(fd);
}

/* Times lseek to 1,024 offsets in turn. */
static void loop_lseek(struct task *task) {
  int fd = open_file(task);
  TIMED(task, must(lseek(fd, i & 1023, SEEK_SET) == (i & 1023), "lseek"));
  close(fd);
}

/* Times pread of a descriptor that is not open and that the runtime does not know: the call fails
 * in the kernel at once. */
static void loop_unknown(struct task *task) {
  char buffer[BLOCK];
  TIMED(task, must(pread(999, buffer, BLOCK, 0) != BLOCK, "pread"));
}

/* Times fwrite of 8 bytes. */
static void loop_fwrite(struct task *task) {
  char item[8] = "";
  FILE *file = fopen(task->path, "w");
  must(file != NULL, task->path);
  TIMED(task, must(fwrite(item, sizeof(item), 1, file) == 1, "fwrite"));
  fclose(file);
}

/* Opens a file of a mebibyte of ASCII characters to read it from its start to its end. */
static FILE *open_text(const struct task *task) {
  FILE *file = fopen(task->path, "w+");
  must(file != NULL, task->path);
  for (int i = 0; i < 1 << 20; i++)
    putc_unlocked('a' + i % 26, file);
  must(fclose(file) == 0 && (file = fopen(task->path, "r")) != NULL, task->path);
  return file;
}

/* Times fgetc of each character of a file, in several rounds. */
static void loop_fgetc(struct task *task) {
  FILE *file = open_text(task);
  TIMED(task, if (fgetc(file) == EOF) rewind(file));
  fclose(file);
}

/* Times fgetwc of each character of a file in UTF-8, in several rounds. */
static void loop_fgetwc(struct task *task) {
  must(setlocale(LC_ALL, "C.UTF-8") != NULL, "C.UTF-8");
  FILE *file = open_text(task);
  TIMED(task, if (fgetwc(file) == WEOF) rewind(file));
  fclose(file);
}

/* Times open and close of an existing file. */
static void loop_open(struct task *task) {
  close(open_file(task));
  TIMED(task, must(close(open(task->path, O_RDONLY)) == 0, "open"));
}

/* Times the creation of a new file each time. */
static void loop_open_new(struct task *task) {
  char *end = task->path + strlen(task->path);
  TIMED(task, (snprintf(end, 24, "-%09ld", i),
               must(close(open(task->path, O_RDWR | O_CREAT, 0600)) == 0, task->path)));
}

/* Times stat of the thread's file. */
static void loop_stat(struct task *task) {
  struct stat st;
  close(open_file(task));
  TIMED(task, must(stat(task->path, &st) == 0, "stat"));
}

/* Times access() of the thread's file. */
static void loop_access(struct task *task) {
  close(open_file(task));
  TIMED(task, must(access(task->path, R_OK) == 0, "access"));
}

/* Times fstat of the thread's file. */
static void loop_fstat(struct task *task) {
  struct stat st;
  int fd = open_file(task);
  TIMED(task, must(fstat(fd, &st) == 0, "fstat"));
  close(fd);
}

static const struct {
  const char *name;
  void (*loop)(struct task *);
} kinds[] = {
    {"ticks", loop_ticks},     {"pread", loop_pread},       {"pwrite", loop_pwrite},
    {"unknown", loop_unknown}, {"lseek", loop_lseek},       {"fwrite", loop_fwrite},
    {"open", loop_open},       {"open-new", loop_open_new}, {"stat", loop_stat},
    {"access", loop_access},   {"fstat", loop_fstat},       {"fgetc", loop_fgetc},
    {"fgetwc", loop_fgetwc},
};

/* Runs the loop of a task. Each thread starts in it. */
static void *run(void *argument) {
  struct task *task = argument;
  task->loop(task);
  return NULL;
}

int main(int argc, char **argv) {
  static struct task tasks[MAX_THREADS];
  pthread_t threads[MAX_THREADS];
  if (argc != 5) errx(2, "usage: cost KIND CALLS THREADS FOLDER");
  int count = atoi(argv[3]);
  if (count < 1 || count > MAX_THREADS) errx(2, "1 to %d threads", MAX_THREADS);
  size_t kind = 0;
  while (kind < sizeof(kinds) / sizeof(*kinds) && strcmp(kinds[kind].name, argv[1]) != 0)
    kind++;
  if (kind == sizeof(kinds) / sizeof(*kinds)) errx(2, "no kind %s", argv[1]);
  for (int i = 0; i < count; i++) {
    tasks[i].loop = kinds[kind].loop;
    tasks[i].calls = atol(argv[2]);
    snprintf(tasks[i].path, ROOM - 32, "%s/%s-%d", argv[4], argv[1], i);
  }
  for (int i = 1; i < count; i++)
    pthread_create(&threads[i], NULL, run, &tasks[i]);
  run(&tasks[0]);
  double sum = tasks[0].ns;
  for (int i = 1; i < count; i++) {
    pthread_join(threads[i], NULL);
    sum += tasks[i].ns;
  }
  printf("%.3f\n", sum / count);
  return 0;
}
