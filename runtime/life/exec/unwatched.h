/* Programs that will leave no records.  The process that starts one reports its reason, and the
 * process that waits for it reports its resource usage. */
#ifndef DARSHAN_UNWATCHED_H
#define DARSHAN_UNWATCHED_H

#include <stdint.h>

#include "../../format/run.h"

/* Remembers the program that this thread is about to start, and its classification by file. */
void unwatched_note(const char *path, enum run_unwatched why);
/* Returns the reason of the remembered program, considering its environment, writes its name into
 * the row, and forgets it. */
enum run_unwatched unwatched_why(char *const *envp, struct run_event *row);

/* Stores the bytes that the calls of a process (0: of this process) have read and written,
 * including the children that it waited for.  Returns 1, or 0 if they are not known. */
int unwatched_calls(int32_t pid, int64_t *read, int64_t *written);

/* The usage of all children that this process has waited for, read before a wait: bytes of
 * storage and nanoseconds of processor time. */
struct run_waiting {
  int64_t storage_read, storage_written, cpu_ns; /* cpu_ns below 0: not known */
};
/* Stores the usage of all children that this process has waited for so far. */
void unwatched_waiting(struct run_waiting *waiting);
/* Writes the usage of the child that a wait has returned since `before` into its row. Leaves the
 * row if the kernel does not tell it. */
void unwatched_used(struct run_event *row, const struct run_waiting *before);

#endif
