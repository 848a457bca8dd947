/* Programs that will tell nothing of themselves: who starts one says so in its place, and who
 * waits for one says what it had. */
#ifndef DARSHAN_UNWATCHED_H
#define DARSHAN_UNWATCHED_H

#include <stdint.h>

#include "../format/run.h"

/* What this thread is about to start, as far as its file tells; and that it was started. */
void unwatched_note(const char *path, enum run_unwatched why);
/* Why it will tell nothing, by its environment too, and its name in the row. */
enum run_unwatched unwatched_why(char *const *envp, struct run_event *row);

/* Bytes that the calls of a process, 0: this one, have read and written, with those of the
 * children that it waited for.  1, or 0: nobody can say. */
int unwatched_calls(int32_t pid, int64_t *read, int64_t *written);

/* Around a wait of the program's: what all children had before that were waited for. */
struct run_waiting {
  int64_t storage_read, storage_written, cpu_ns; /* below 0: not known */
};
void unwatched_waiting(struct run_waiting *waiting);
/* Into the row of a child that was waited for: what it had. */
void unwatched_used(struct run_event *row, const struct run_waiting *before);

#endif
