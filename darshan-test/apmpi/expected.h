/* Writes down, call by call, what the APMPI records of this rank must contain. */
#ifndef TEST_EXPECTED_H
#define TEST_EXPECTED_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CALLS = 96, CLASSES = 6 };

static struct expected {
  const char *name;
  long calls, bytes, classes[CLASSES];
} expected[MOST_CALLS];

/* Returns the index of a size's class, from 0. */
static int class_of(long bytes) {
  const long bounds[CLASSES] = {256, 1024, 8192, 262144, 1048576, -1};
  for (int i = 0; i < CLASSES - 1; i++)
    if (bytes <= bounds[i]) return i;
  return CLASSES - 1;
}

/* Writes down one call of a function. name: its counter. bytes: counted for it. code: the result of
 * the call, which must be MPI_SUCCESS. */
static void expect(const char *name, long bytes, int code) {
  struct expected *at = expected;
  while (at->name && strcmp(at->name, name) != 0)
    at++;
  at->name = name;
  at->calls++;
  at->bytes += bytes;
  at->classes[class_of(bytes)]++;
  if (code == MPI_SUCCESS) return;
  fprintf(stderr, "%s failed\n", name);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
/* Makes a call and writes it down, as in CALL(SEND, bytes, MPI_Send(...)). */
#define CALL(name, bytes, call) expect(#name, bytes, call)

/* Writes FOLDER/expected.RANK with a line for each MPI function that was called: name, number of
 * calls, bytes, and calls of each size class. The file gets its name when it is complete. Aborts
 * the job on failure. */
static void write_expected(const char *folder, int rank) {
  char path[4096], whole[4096];
  snprintf(path, sizeof(path), "%s/expected.%d-", folder, rank);
  snprintf(whole, sizeof(whole), "%s/expected.%d", folder, rank);
  FILE *out = fopen(path, "w");
  if (!out) MPI_Abort(MPI_COMM_WORLD, 2);
  for (struct expected *at = expected; at->name; at++) {
    fprintf(out, "%s %ld %ld", at->name, at->calls, at->bytes);
    for (int i = 0; i < CLASSES; i++)
      fprintf(out, " %ld", at->classes[i]);
    fputc('\n', out);
  }
  if (fclose(out) != 0 || rename(path, whole) != 0) MPI_Abort(MPI_COMM_WORLD, 2);
}

#endif
