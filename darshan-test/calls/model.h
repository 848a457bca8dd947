/* The expected log, computed independently of the runtime: the rules of the record formats
 * (doc/counters.md) applied to the calls of a case.
 *
 * Not thread-safe: a case with threads reports their calls to the model afterwards. Paths are
 * absolute and normalized. */
#ifndef CALLS_MODEL_H
#define CALLS_MODEL_H

#include <stdbool.h>
#include <stddef.h>

/* --- rows: any counter of any record ------------------------------------ */

/* Expect a counter of the path's record: expect adds n to the expected value, expect_value replaces
 * it, and expect_at_least replaces it by a lower bound. Every integer counter of an expected record
 * that is not named must be 0. */
void expect(const char *path, const char *counter, long n);
void expect_value(const char *path, const char *counter, long value);
void expect_at_least(const char *path, const char *counter, long value);
/* Excludes a counter from the comparison, because the rules allow several values. */
void expect_any(const char *path, const char *counter);
/* Expects a timer or timestamp to be greater than 0. */
void expect_positive(const char *path, const char *counter);
/* Expects a counter to be the record id of the path `other`. */
void expect_id_of(const char *path, const char *counter, const char *other);
/* Expects that a counter, summed over all records, is n. The record that has the count is
 * unspecified. */
void expect_sum(const char *counter, long n);
/* Expects the record even if all its counters are 0. expects_record returns true if the record is
 * expected so far. */
void expect_record(const char *module, const char *path);
bool expects_record(const char *module, const char *path);
/* Compares nothing of this path. */
void expect_nothing_about(const char *path);

/* Returns the value that is expected so far; 0 if there is none. */
long row_value(const char *path, const char *counter);
/* Writes all rows as text, one per line: relation, counter, value, path. */
void write_rows(int fd);

/* --- POSIX --------------------------------------------------------------- */

#define OTHER_PATHS "<other paths>"

void model_open(const char *path, unsigned mode);
/* Tells the model that the case got a descriptor from an open that the runtime did not see. Its
 * offset is unknown until a seek, because other code may move it. */
void model_arrived(const char *path);
void model_close(const char *path);
/* Tells the model about a duplicate that was made by dup (counter DUPS) or fileno (counter
 * FILENOS). */
void model_dup(const char *path);
void model_fileno(const char *path);
void model_stat(const char *path);
void model_seek(const char *path, long offset);
/* Tells the model about a read of n bytes at the tracked offset. address: the user's buffer; NULL
 * if there is none. */
void model_read(const char *path, long n, const void *address);
void model_write(const char *path, long n, const void *address);
void model_pread(const char *path, long offset, long n, const void *address);
void model_pwrite(const char *path, long offset, long n, const void *address);
/* Adds to a POSIX_EXT counter of the path if it has a POSIX record, otherwise of OTHER_PATHS. */
void model_ext(const char *path, const char *counter, long n);
/* Expects the counters of a sparse file that was read far, from the size of the file and the bytes
 * that storage holds of it now. */
void model_holes(const char *path);
void model_miss(const char *path);
void model_rename(const char *from, const char *to);

/* --- STDIO --------------------------------------------------------------- */

void model_fopen(const char *path);
/* Sets the offset of the file's next transfer. */
void model_place(const char *path, long offset);
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
