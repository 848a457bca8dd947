/* Threads that read and take apart one file: locks.c CASE [cured]. */
#include "case.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

enum { BLOCK = 1 << 17, THREADS = 2, ROUNDS = 12 };

static int file;
static bool outside; /* the lock protects the offset alone */
static off_t next, size;
static long spaces;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void take(pthread_mutex_t *one, bool really) {
  if (really) must(pthread_mutex_lock(one) == 0, "lock");
}

static void give(pthread_mutex_t *one, bool really) {
  if (really) must(pthread_mutex_unlock(one) == 0, "unlock");
}

static long parse(const char *block, ssize_t length) {
  long found = 0;
  for (int round = 0; round < ROUNDS; round++)
    for (ssize_t i = 0; i < length; i++)
      if (block[i] % (round + 7) == 1) found++;
  return found;
}

static void *work(void *arg) {
  char *block = malloc(BLOCK);
  long found = 0;
  for (;;) {
    take(&lock, true);
    off_t at = next;
    next += BLOCK;
    give(&lock, outside);
    if (at < size) found += parse(block, pread(file, block, BLOCK, at));
    give(&lock, !outside);
    if (at >= size) break;
  }
  take(&lock, true);
  spaces += found;
  give(&lock, true);
  free(block);
  return arg;
}

static void read_in_threads(void) {
  pthread_t threads[THREADS];
  file = open("input", O_RDONLY);
  must(file >= 0, "input");
  size = lseek(file, 0, SEEK_END);
  for (int i = 0; i < THREADS; i++)
    must(pthread_create(threads + i, NULL, work, NULL) == 0, "thread");
  for (int i = 0; i < THREADS; i++)
    must(pthread_join(threads[i], NULL) == 0, "join");
  must(close(file) == 0, "close");
}

/* Reads and parses under the lock; cured: only takes the offset. */
static void lock_over_parse(bool cured) {
  outside = cured;
  read_in_threads();
}

static void lock_over_offset(bool cured) {
  (void)cured;
  lock_over_parse(true);
}

int main(int argc, char **argv) {
  static const struct Case cases[] = {
      {"lock-over-parse", lock_over_parse},
      {"lock-over-offset", lock_over_offset},
      {NULL, NULL},
  };
  return run_case(argc, argv, cases);
}
