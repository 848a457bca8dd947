/* The reader as a function of the content of a file, for fuzzers. */
#ifndef DARSHAN_FUZZ_TARGET_H
#define DARSHAN_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

/* Reads all of the log at `path`. Aborts if the reader breaks a promise of its header. Returns how
 * many modules ended with an error; -1 if the log cannot be opened. */
int read_everything(const char *path);
/* Does the same as read_everything for a log in memory of `size` bytes. */
int read_everything_from(const uint8_t *data, size_t size);

#endif
