/* Performs the reads and writes of a plan: transfers PLAN
 *
 * A line of the plan is THREAD OPERATION FILE OFFSET LENGTH. Each thread performs its own lines
 * in order. For each transfer, in the order of the plan, the program prints the start and end
 * (seconds of the wall clock) and the number of moved bytes.
 *
 *   pread, pwrite, preadv, pwritev   at OFFSET
 *   seek                             moves the file's position to OFFSET
 *   read, write                      at the position
 *   fread, fwrite                    through a stream of the file
 *   sleep                            LENGTH microseconds */
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { MAX_LINES = 1 << 18, MAX_FILES = 4096, MAX_THREADS = 16, BUFFER = 1 << 20, NAME = 256 };

/* One line of the plan, with its result. thread, file: indices. offset, length: bytes. start, end:
 * seconds of the wall clock. */
struct line {
  int thread, file;
  char operation[12];
  long long offset, length;
  double start, end;
  long long moved; /* -1: no transfer */
};

static struct line *lines;
static int num_lines, num_files;
static struct {
  char name[NAME];
  int fd;
  FILE *stream;
} files[MAX_FILES];

/* Returns the time of the wall clock in seconds. */
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Returns the index of a file, which is opened at its first use. through_stream: whether a stream
 * is needed. */
static int file_of(const char *name, int through_stream) {
  int i = 0;
  while (i < num_files && strcmp(files[i].name, name) != 0)
    i++;
  if (i == MAX_FILES) errx(1, "too many files");
  if (i < num_files) return i;
  num_files++;
  snprintf(files[i].name, NAME, "%s", name);
  if (through_stream)
    files[i].stream = fopen(name, "w+");
  else
    files[i].fd = open(name, O_RDWR | O_CREAT, 0600);
  if (through_stream ? !files[i].stream : files[i].fd < 0) err(1, "%s", name);
  return i;
}

/* Reads the plan into `lines`. */
static void read_plan(const char *path) {
  char name[NAME];
  FILE *plan = fopen(path, "r");
  lines = calloc(MAX_LINES, sizeof(*lines));
  if (!plan || !lines) err(1, "%s", path);
  for (struct line *line = lines; num_lines < MAX_LINES; line++, num_lines++) {
    if (fscanf(plan, "%d %11s %255s %lld %lld", &line->thread, line->operation, name, &line->offset,
               &line->length) != 5)
      break;
    if (strcmp(line->operation, "sleep") != 0)
      line->file = file_of(name, line->operation[0] == 'f');
  }
  fclose(plan);
}

/* Performs one operation. buffer: for its bytes. Returns the number of moved bytes. */
static long long transfer(const struct line *line, char *buffer) {
  int fd = files[line->file].fd;
  FILE *stream = files[line->file].stream;
  size_t length = (size_t)line->length;
  struct iovec parts[2] = {{buffer, length / 2}, {buffer + length / 2, length - length / 2}};
  const char *operation = line->operation;
  if (strcmp(operation, "pread") == 0) return pread(fd, buffer, length, line->offset);
  if (strcmp(operation, "pwrite") == 0) return pwrite(fd, buffer, length, line->offset);
  if (strcmp(operation, "preadv") == 0) return preadv(fd, parts, 2, line->offset);
  if (strcmp(operation, "pwritev") == 0) return pwritev(fd, parts, 2, line->offset);
  if (strcmp(operation, "read") == 0) return read(fd, buffer, length);
  if (strcmp(operation, "write") == 0) return write(fd, buffer, length);
  if (strcmp(operation, "fread") == 0) return (long long)fread(buffer, 1, length, stream);
  if (strcmp(operation, "fwrite") == 0) return (long long)fwrite(buffer, 1, length, stream);
  if (strcmp(operation, "seek") == 0 && lseek(fd, line->offset, SEEK_SET) < 0) err(1, "seek");
  if (strcmp(operation, "sleep") == 0) usleep((useconds_t)line->length);
  return -1;
}

/* Performs the lines of one thread; the function of the thread. argument: its index. */
static void *follow(void *argument) {
  int thread = (int)(intptr_t)argument;
  char *buffer = calloc(1, BUFFER);
  for (int i = 0; buffer && i < num_lines; i++) {
    struct line *line = &lines[i];
    if (line->thread != thread) continue;
    line->start = now();
    line->moved = transfer(line, buffer);
    line->end = now();
  }
  free(buffer);
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[MAX_THREADS];
  int last = 0;
  if (argc != 2) errx(2, "usage: transfers PLAN");
  read_plan(argv[1]);
  for (int i = 0; i < num_lines; i++)
    if (lines[i].thread > last) last = lines[i].thread;
  if (last >= MAX_THREADS) errx(1, "too many threads");
  for (int i = 1; i <= last; i++)
    if (pthread_create(&threads[i], NULL, follow, (void *)(intptr_t)i) != 0) errx(1, "no thread");
  follow(NULL);
  for (int i = 1; i <= last; i++)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < num_lines; i++)
    if (lines[i].moved >= 0)
      printf("%.9f %.9f %lld\n", lines[i].start, lines[i].end, lines[i].moved);
  return 0;
}
