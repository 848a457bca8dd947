/* What a log must say, computed independently of the runtime: the rules of the
 * record formats (doc/counters.md) applied to what a case did.
 *
 * Not thread-safe: threaded tests tell the model afterwards what their threads
 * did.  Paths are absolute and clean. */
#ifndef CALLS_MODEL_H
#define CALLS_MODEL_H

#include <stdbool.h>
#include <stddef.h>

/* --- rows: any counter of any record ------------------------------------ */

/* Adds n to the expected value; every integer counter not named is 0. */
void expect(const char *path, const char *counter, long n);
void expect_value(const char *path, const char *counter, long value);
void expect_at_least(const char *path, const char *counter, long value);
/* Not compared: two readings of the rules are both fine. */
void expect_any(const char *path, const char *counter);
/* A timer or time stamp greater than 0. */
void expect_positive(const char *path, const char *counter);
/* The counter holds the record id of this other path. */
void expect_id_of(const char *path, const char *counter, const char *other);
/* The counter added up over all records: where it is booked is left open. */
void expect_sum(const char *counter, long n);
/* Makes the record expected even if all its counters are 0. */
void expect_record(const char *module, const char *path);
bool expects_record(const char *module, const char *path);
/* Nothing of this path is compared. */
void expect_nothing_about(const char *path);

long row_value(const char *path, const char *counter);
/* Writes all rows as text, one per line: relation, counter, value, path. */
void write_rows(int fd);

/* --- POSIX --------------------------------------------------------------- */

#define OTHER_PATHS "<other paths>"

void model_open(const char *path, unsigned mode);
/* A descriptor that somebody else opened, at this position. */
/* Others may move its position: places are not known until a seek. */
void model_arrived(const char *path);
void model_close(const char *path);
/* A duplicate made by dup (DUPS) or fileno (FILENOS). */
void model_dup(const char *path);
void model_fileno(const char *path);
void model_stat(const char *path);
void model_seek(const char *path, long offset);
/* n bytes at the tracked offset; address NULL: no user buffer was involved. */
void model_read(const char *path, long n, const void *address);
void model_write(const char *path, long n, const void *address);
void model_pread(const char *path, long offset, long n, const void *address);
void model_pwrite(const char *path, long offset, long n, const void *address);
/* Adds to a POSIX_EXT counter: to the path's record if it has a POSIX record,
 * else to that of all other paths. */
void model_ext(const char *path, const char *counter, long n);
void model_miss(const char *path);
void model_rename(const char *from, const char *to);

/* --- STDIO --------------------------------------------------------------- */

void model_fopen(const char *path);
void model_fdopen(const char *path);
void model_fread(const char *path, long n);
void model_fwrite(const char *path, long n);
void model_fseek(const char *path, long offset);
void model_fflush(const char *path);
/* The three standard streams, which exist from the start. */
#define STANDARD_INPUT "<STDIN>"
#define STANDARD_OUTPUT "<STDOUT>"
#define STANDARD_ERROR "<STDERR>"
void model_standard_read(const char *stream, long n);
void model_standard_write(const char *stream, long n);

#endif
