/* A fuzzer without libFuzzer. It makes seeded changes to given logs, or every truncation and three
 * changes of every byte of small logs. It calls read_everything_from for each input. An input that
 * crashes the reader, or keeps it busy for too long, is left in FOLDER as "crash". Exit status 1:
 * all inputs were refused, or all were fine, so that nothing was tested.
 *
 *   fuzz-reader FOLDER mutate SEED COUNT LOG...   makes COUNT changed logs
 *   fuzz-reader FOLDER for SEED SECONDS LOG...    makes as many as fit into this time
 *   fuzz-reader FOLDER emit SEED COUNT LOG...     writes the changed logs, without reading them
 *   fuzz-reader FOLDER every LOG...               makes every change */
#include "mutate.h"
#include "target.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sanitizer/common_interface_defs.h>

/* Most seconds for one input. */
enum { SECONDS = 20 };

/* The input that is read now, for the handlers; without data if none is. */
static struct bytes current;
/* FOLDER/crash */
static char crash_path[4096];

/* Writes the current input to FOLDER/crash, and says so. A sanitizer calls this before it ends the
 * process. */
static void keep_input(void) {
  if (!current.data) return; /* no input is to blame */
  int fd = open(crash_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0 || write(fd, current.data, current.size) != (ssize_t)current.size) return;
  close(fd);
  static const char text[] = "the input is kept in the fuzz folder as: crash\n";
  if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0) _exit(2);
}

/* Ends the process because an input takes too long, after keeping the input. */
static void on_alarm(int signal_number) {
  (void)signal_number;
  static const char text[] = "the reader takes too long\n";
  if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0) _exit(2);
  keep_input();
  abort();
}

/* Returns the content of a file. Ends the process with status 2 if it cannot be read. */
static struct bytes load(const char *path) {
  struct bytes log = {NULL, 0};
  FILE *file = fopen(path, "rb");
  if (!file) {
    perror(path);
    exit(2);
  }
  uint8_t block[65536];
  size_t n;
  while ((n = fread(block, 1, sizeof(block), file)) > 0)
    bytes_splice(&log, log.size, 0, block, n);
  fclose(file);
  return log;
}

/* Reads an input within SECONDS. Returns the result of read_everything_from. */
static int try_input(const struct bytes *input) {
  current = *input;
  alarm(SECONDS);
  int broken = read_everything_from(input->data, input->size);
  alarm(0);
  current = (struct bytes){NULL, 0};
  return broken;
}

/* Counts of inputs. refused: those that cannot be opened. damaged: those with a damaged module. */
struct tally {
  long inputs, refused, damaged;
};

/* Counts an input. broken: result of read_everything_from. */
static void count(struct tally *tally, int broken) {
  tally->inputs++;
  tally->refused += broken < 0;
  tally->damaged += broken > 0;
}

/* Writes an input to FOLDER/mutant-NUMBER, for programs that read a file. Ends this program with 2
 * if it cannot. */
static void emit_input(const struct bytes *input, const char *folder, long number) {
  char path[sizeof(crash_path) + 32];
  snprintf(path, sizeof(path), "%s/mutant-%ld", folder, number);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(input->data, 1, input->size, file) != input->size || fclose(file) != 0) {
    perror(path);
    exit(2);
  }
}

/* Returns the time in seconds from an arbitrary start. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Returns the smallest of three random logs of the n logs in the corpus, because a small log
 * exercises the same code in less time. */
static const struct bytes *pick(const struct bytes *corpus, int n, uint64_t *state) {
  const struct bytes *best = &corpus[mutate_random(state) % (uint64_t)n];
  for (int i = 1; i < 3; i++) {
    const struct bytes *other = &corpus[mutate_random(state) % (uint64_t)n];
    if (other->size < best->size) best = other;
  }
  return best;
}

/* Makes changed logs and reads them or, if `folder` is not NULL, writes them there instead.
 * arguments: n words: the seed, a number, and paths of logs. by_time: the number is seconds instead
 * of a number of changed logs. */
static void mutate_all(struct tally *tally, const char *folder, int by_time, char **arguments,
                       int n) {
  uint64_t seed = strtoull(arguments[0], NULL, 10);
  long most = strtol(arguments[1], NULL, 10);
  double end = now() + (double)most;
  char **paths = arguments + 2;
  n -= 2;
  uint64_t state = seed * 2654435761u + 88172645463325252u;
  struct bytes *corpus = calloc((size_t)n, sizeof(*corpus));
  if (!corpus) abort();
  for (int i = 0; i < n; i++)
    corpus[i] = load(paths[i]);
  for (long i = 0; by_time ? now() < end : i < most; i++) {
    const struct bytes *from =
        by_time ? pick(corpus, n, &state) : &corpus[mutate_random(&state) % (uint64_t)n];
    struct bytes input = {NULL, 0};
    bytes_splice(&input, 0, 0, from->data, from->size);
    mutate_log(&input, &state);
    if (folder)
      emit_input(&input, folder, i);
    else
      count(tally, try_input(&input));
    bytes_free(&input);
  }
  for (int i = 0; i < n; i++)
    bytes_free(&corpus[i]);
  free(corpus);
}

/* Reads every truncation of a log, and the log with three changes of each byte, one at a time. */
static void every_change(struct tally *tally, const char *path) {
  static const uint8_t flips[] = {0x01, 0x80, 0xff};
  struct bytes log = load(path);
  for (size_t size = 0; size < log.size; size++) {
    struct bytes cut = {log.data, size};
    count(tally, try_input(&cut));
  }
  for (size_t at = 0; at < log.size; at++)
    for (size_t i = 0; i < sizeof(flips); i++) {
      log.data[at] ^= flips[i];
      count(tally, try_input(&log));
      log.data[at] ^= flips[i];
    }
  bytes_free(&log);
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  snprintf(crash_path, sizeof(crash_path), "%s/crash", argv[1]);
  int report = dup(STDOUT_FILENO); /* a command under test has standard output */
  __sanitizer_set_death_callback(keep_input);
  signal(SIGALRM, on_alarm);
  struct tally tally = {0, 0, 0};
  bool emit = strcmp(argv[2], "emit") == 0;
  if ((emit || strcmp(argv[2], "mutate") == 0) && argc > 5)
    mutate_all(&tally, emit ? argv[1] : NULL, 0, argv + 3, argc - 3);
  else if (strcmp(argv[2], "for") == 0 && argc > 5)
    mutate_all(&tally, NULL, 1, argv + 3, argc - 3);
  else if (strcmp(argv[2], "every") == 0)
    for (int i = 3; i < argc; i++)
      every_change(&tally, argv[i]);
  if (emit) return 0;
  dprintf(report, "%s: %ld inputs, %ld refused, %ld with a damaged module\n", argv[2], tally.inputs,
          tally.refused, tally.damaged);
  /* A fuzzer whose inputs are all refused, or all fine, tests nothing. */
  return tally.inputs > tally.refused && tally.refused + tally.damaged > 0 ? 0 : 1;
}
