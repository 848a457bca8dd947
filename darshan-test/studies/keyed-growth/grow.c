/* Lets a file with keys grow by batches of records: a table of SQLite with nine indexes. Every
 * record has a number, and its keys and bytes follow from this number, so two runs write the same
 * file. With 0 batches, only the empty tables are made. Prints the time and file size of each
 * batch, and the kernel's counts of the process's I/O. */
#include <fcntl.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { KEYS = 9, KEY_BYTES = 30, RECORD_BYTES = 998, REST_BYTES = RECORD_BYTES - KEYS * KEY_BYTES };

/* The arguments. */
struct plan {
  const char *path;
  /* first batch, number of batches, records of a batch, SQLite's cache in KiB */
  unsigned long first, batches, records, cache;
};

/* Prints `what` and the reason, and ends the program with status 1. base: NULL if memory is
 * missing. */
static void fail(sqlite3 *base, const char *what) {
  fprintf(stderr, "grow: %s: %s\n", what, base ? sqlite3_errmsg(base) : "no memory");
  exit(1);
}

/* Executes an SQL statement; ends the program on failure. */
static void execute(sqlite3 *base, const char *statement) {
  if (sqlite3_exec(base, statement, NULL, NULL, NULL)) fail(base, statement);
}

/* Returns the seconds since the epoch. */
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Returns the next random number of the generator splitmix64, and advances *seed; its numbers are
 * well distributed for any seed. */
static uint64_t next(uint64_t *seed) {
  uint64_t z = *seed += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* Fills `length` bytes of text with letters and digits, without a 0 at the end, from random
 * numbers; advances *seed. */
static void fill(char *text, size_t length, uint64_t *seed) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
  for (size_t i = 0; i < length; i += 12) {
    uint64_t bits = next(seed);
    for (size_t k = i; k < i + 12 && k < length; k++, bits >>= 5)
      text[k] = letters[bits & 31];
  }
}

/* Opens the database of the plan with its cache size, and without syncing, because the study
 * measures the cost of growth, not of commits. Ends the program with a message on failure. */
static sqlite3 *open_base(const struct plan *plan) {
  sqlite3 *base = NULL;
  char cache[64];
  if (sqlite3_open(plan->path, &base)) fail(base, plan->path);
  snprintf(cache, sizeof cache, "PRAGMA cache_size = -%lu", plan->cache);
  execute(base, cache);
  execute(base, "PRAGMA synchronous = OFF");
  return base;
}

/* Creates the table and its nine indexes. */
static void make_tables(sqlite3 *base) {
  char text[512] = "CREATE TABLE record (";
  size_t length = strlen(text);
  for (int i = 1; i <= KEYS; i++)
    length += (size_t)snprintf(text + length, sizeof text - length, "key%d TEXT, ", i);
  snprintf(text + length, sizeof text - length, "rest TEXT)");
  execute(base, text);
  for (int i = 1; i <= KEYS; i++) {
    snprintf(text, sizeof text, "CREATE INDEX by_key%d ON record (key%d)", i, i);
    execute(base, text);
  }
}

/* Inserts the record with this number. */
static void insert(sqlite3 *base, sqlite3_stmt *statement, unsigned long number) {
  char record[RECORD_BYTES];
  uint64_t seed = number * (uint64_t)0x2545f4914f6cdd1du;
  for (int i = 0; i < KEYS; i++) {
    char *key = record + (size_t)i * KEY_BYTES;
    fill(key, KEY_BYTES, &seed);
    sqlite3_bind_text(statement, i + 1, key, KEY_BYTES, SQLITE_STATIC);
  }
  char *rest = record + (size_t)KEYS * KEY_BYTES;
  fill(rest, REST_BYTES, &seed);
  sqlite3_bind_text(statement, KEYS + 1, rest, REST_BYTES, SQLITE_STATIC);
  if (sqlite3_step(statement) != SQLITE_DONE || sqlite3_reset(statement)) fail(base, "insert");
}

/* Inserts the records of a batch in one transaction. Prints the batch's number, when it began
 * (seconds since 1970), its seconds, and the size of the file in bytes. Ends the program with a
 * message on failure. */
static void add_batch(sqlite3 *base, const struct plan *plan, unsigned long batch) {
  sqlite3_stmt *statement = NULL;
  struct stat status;
  double begun = now();
  if (sqlite3_prepare_v2(base, "INSERT INTO record VALUES (?,?,?,?,?,?,?,?,?,?)", -1, &statement,
                         NULL))
    fail(base, "prepare");
  execute(base, "BEGIN");
  for (unsigned long i = 0; i < plan->records; i++)
    insert(base, statement, batch * plan->records + i);
  execute(base, "COMMIT");
  sqlite3_finalize(statement);
  double ended = now();
  if (stat(plan->path, &status)) fail(NULL, "stat");
  printf("batch %lu %.6f %.6f %" PRIdMAX "\n", batch, begun, ended - begun,
         (intmax_t)status.st_size);
}

/* The kernel's counts of this process's bytes and calls so far, which are compared with the log. */
struct traffic {
  uint64_t bytes_read, bytes_written, reads, writes;
  uint64_t asking; /* bytes read to learn this, which count from now on */
};

/* Reads the kernel's counts from /proc/self/io. Returns 0, or -1 if the kernel does not count. */
static int read_traffic(struct traffic *traffic) {
  char text[512];
  int file = open("/proc/self/io", O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (file >= 0) close(file);
  if (length <= 0) return -1;
  text[length] = '\0';
  traffic->asking = (uint64_t)length;
  return sscanf(text, "rchar: %" SCNu64 " wchar: %" SCNu64 " syscr: %" SCNu64 " syscw: %" SCNu64,
                &traffic->bytes_read, &traffic->bytes_written, &traffic->reads,
                &traffic->writes) == 4
             ? 0
             : -1;
}

/* Prints the kernel's counts since `before`; nothing if the kernel does not count. */
static void print_traffic(const struct traffic *before) {
  struct traffic after;
  if (read_traffic(&after)) return;
  printf("kernel %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
         after.bytes_read - before->bytes_read - before->asking,
         after.bytes_written - before->bytes_written, after.reads - before->reads - 1,
         after.writes - before->writes);
}

/* Parses a number, at least 0; ends the program with status 2 if the text is not one. */
static unsigned long number(const char *text) {
  char *end = NULL;
  unsigned long value = strtoul(text, &end, 10);
  if (end != text && !*end && *text != '-') return value;
  fprintf(stderr, "grow: not a number: %s\n", text);
  exit(2);
}

int main(int argc, char **argv) {
  if (argc != 6) {
    fputs("usage: grow FILE FIRST BATCHES RECORDS CACHE-KIB\n", stderr);
    return 2;
  }
  struct plan plan = {argv[1], number(argv[2]), number(argv[3]), number(argv[4]), number(argv[5])};
  struct traffic before;
  char lot;
  sqlite3_randomness(sizeof lot, &lot); /* or it reads its seed in between */
  int counted = read_traffic(&before);
  sqlite3 *base = open_base(&plan);
  if (plan.batches == 0) make_tables(base);
  for (unsigned long i = 0; i < plan.batches; i++)
    add_batch(base, &plan, plan.first + i);
  if (sqlite3_close(base)) fail(base, "close");
  if (counted == 0) print_traffic(&before);
  return 0;
}
