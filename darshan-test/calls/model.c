/* Computes and prints the rows that the log of a case must have. */
#include "calls.h"

#include <stdio.h>
#include <string.h>

/* Relations of a row: = equal, > at least, ? any, + positive, i id of the record that the value
 * column names, s sum over records, r record exists, n nothing of this path is compared. */
struct row {
  char relation;
  const char *path;
  const char *counter;
  long value;
  const char *other;
};

enum { MAX_ROWS = 4096 };
static struct row rows[MAX_ROWS];
static int num_rows;

/* Returns the row of a path and a counter, or NULL. Addresses are compared first, because
 * ThreadSanitizer makes strcmp slow; most texts are passed repeatedly. */
static struct row *find_row(const char *path, const char *counter) {
  for (int i = 0; i < num_rows; i++)
    if (rows[i].counter == counter && rows[i].path == path) return &rows[i];
  for (int i = 0; i < num_rows; i++)
    if (!strcmp(rows[i].counter, counter) && !strcmp(rows[i].path, path)) return &rows[i];
  return NULL;
}

static struct row *get_row(char relation, const char *path, const char *counter) {
  struct row *row = find_row(path, counter);
  if (!row) {
    CHECK(num_rows < MAX_ROWS);
    row = &rows[num_rows++];
    row->path = path, row->counter = counter;
  }
  row->relation = relation;
  return row;
}

static const char *module_of(const char *counter) {
  if (!strncmp(counter, "POSIX_EXT_", 10)) return "POSIX_EXT";
  return counter[0] == 'P' ? "POSIX" : "STDIO";
}

void expect(const char *path, const char *counter, long n) {
  expect_record(module_of(counter), path);
  const struct row *old = find_row(path, counter);
  get_row(old ? old->relation : '=', path, counter)->value += n;
}

void expect_value(const char *path, const char *counter, long value) {
  expect_record(module_of(counter), path);
  get_row('=', path, counter)->value = value;
}

void expect_at_least(const char *path, const char *counter, long value) {
  get_row('>', path, counter)->value = value;
}

void expect_any(const char *path, const char *counter) {
  get_row('?', path, counter);
}

void expect_positive(const char *path, const char *counter) {
  get_row('+', path, counter);
}

void expect_id_of(const char *path, const char *counter, const char *other) {
  get_row('i', path, counter)->other = other;
}

void expect_sum(const char *counter, long n) {
  get_row('s', "*", counter)->value += n;
}

void expect_record(const char *module, const char *path) {
  get_row('r', path, module);
}

bool expects_record(const char *module, const char *path) {
  const struct row *row = find_row(path, module);
  return row && row->relation == 'r';
}

void expect_nothing_about(const char *path) {
  get_row('n', path, "-");
}

long row_value(const char *path, const char *counter) {
  const struct row *row = find_row(path, counter);
  return row ? row->value : 0;
}

void write_rows(int fd) {
  for (int i = 0; i < num_rows; i++) {
    char line[4096];
    const struct row *row = &rows[i];
    int n = row->other ? snprintf(line, sizeof line, "%c\t%s\t%s\t%s\n", row->relation,
                                  row->counter, row->other, row->path)
                       : snprintf(line, sizeof line, "%c\t%s\t%ld\t%s\n", row->relation,
                                  row->counter, row->value, row->path);
    CHECK(n > 0 && (size_t)n < sizeof line);
    sys_write(fd, line, (size_t)n);
  }
}
