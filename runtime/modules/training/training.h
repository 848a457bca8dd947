/* Training: how long a program in PyTorch waits for data. When Python loads the file of PyTorch's
 * DataLoader, two methods of it are replaced by C functions that call the original and read the
 * clock before and after (loader-hook.c). Each iteration over a DataLoader, an epoch, has a record
 * (epochs.c). */
#ifndef DARSHAN_TRAINING_H
#define DARSHAN_TRAINING_H

#include <stdint.h>
#include <string.h>

/* 1 if the module is on. */
extern uint32_t training_on __attribute__((visibility("hidden")));

int training_prepare(void);
void training_forked(void);

/* Lets Python run the function that replaces the methods, soon after this call, if the file is in a
 * folder torch/utils/data. Called when a file named "dataloader.…" was opened. Keeps errno. */
void training_loader_is_read(const char *path);

/* Calls training_loader_is_read if the path may be the file of PyTorch's DataLoader. Called after
 * each open of the program. */
static inline void training_opened(const char *path) {
  static const char name[] = "dataloader.";
  if (__builtin_expect(!training_on, 0)) return;
  const char *last = strrchr(path, '/');
  if (last && strncmp(last + 1, name, sizeof(name) - 1) == 0) training_loader_is_read(path);
}

/* --- for the files of this module -------------------------------------------------------- */

/* Settings of a DataLoader; -1: unknown. */
struct training_settings {
  int64_t workers, prefetch, persistent, batch_size;
};

/* How a call of __next__ ended. */
enum training_outcome { GAVE_BATCH, GAVE_ALL, GAVE_ERROR };

/* Begins an epoch. iterator: address of the iterator that __iter__ returned. t1, t2: ticks around
 * that call. The caller holds Python's lock (GIL). */
void training_epoch_began(const void *iterator, const struct training_settings *settings,
                          uint64_t t1, uint64_t t2);
/* Counts a call of __next__ on this iterator. processor: processor time of the thread in it, in
 * nanoseconds. */
void training_epoch_went_on(const void *iterator, enum training_outcome outcome, uint64_t t1,
                            uint64_t t2, uint64_t processor);

#endif
