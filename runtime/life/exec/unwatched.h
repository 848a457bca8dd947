/* Recognizes, by file and environment, programs that will leave no records. The process that starts
 * such a program reports the reason, and the process that waits for it reports its resource
 * usage. */
#ifndef DARSHAN_UNWATCHED_H
#define DARSHAN_UNWATCHED_H

#include <stdint.h>

#include "../../format/run.h"

/* Remembers the last component of the path of the program that this thread is about to start, and
 * why it will leave no records according to its file; RUN_WATCHED: it will leave records. */
void unwatched_note(const char *path, enum run_unwatched why);
/* Returns why the remembered program will leave no records, taking its environment into account;
 * RUN_WATCHED if it will leave records. Writes its name into the row, and forgets the program. */
enum run_unwatched unwatched_why(char *const *envp, struct run_event *row);

/* Stores the bytes that the calls of process pid (0: this process) have read and written, including
 * the children that it waited for. Returns 1, or 0 if the numbers are unknown. */
int unwatched_calls(int32_t pid, int64_t *read, int64_t *written);

/* Usage of all children that this process has waited for, read before a wait: bytes read from and
 * written to storage, and nanoseconds of processor time. */
struct run_waiting {
  int64_t storage_read, storage_written, cpu_ns; /* cpu_ns below 0: unknown */
};
/* Stores the usage of all children that this process has waited for so far. */
void unwatched_waiting(struct run_waiting *waiting);
/* Writes the resource usage of the child that a wait has returned into the child's row; before: the
 * usage before that wait. Leaves the row unchanged if the kernel does not report the usage. */
void unwatched_used(struct run_event *row, const struct run_waiting *before);

/* A prediction by the file of a program. why: the reason why the program will leave no records;
 * RUN_WATCHED: it will leave records. */
struct file_look {
  enum run_unwatched why;
  /* 1 if the program's loader is for another C library, word size or processor, and would end the
   * program because of this library (musl), or print a warning about it. */
  int refuses;
};

/* Predicts whether a program will be instrumented, by its file. The program must need this C
 * library's loader and have no raised rights. A file that cannot be read, or that this process may
 * have locked by fcntl, is assumed to be instrumentable. */
struct file_look file_look(const char *path);

/* Returns 1 if a program with this environment is recorded: the environment names the run, and
 * LD_PRELOAD has this library or the system has an /etc/ld.so.preload. Otherwise returns 0. */
int environment_is_watched(char *const *envp);
/* Returns 1 if this environment preloads this library, otherwise 0. */
int environment_preloads(char *const *envp);

/* environment_without_us returns a copy of envp without this library in LD_PRELOAD, for a program
 * whose loader refuses it (file_look). The copy is valid until environment_done or this thread's
 * next call. Returns envp itself if it does not preload this library, if the list or the values of
 * LD_PRELOAD need more than 4 KiB each, or if no path buffer is free. May be called in a vfork
 * child. */
char *const *environment_without_us(char *const *envp);
void environment_done(void);

#endif
