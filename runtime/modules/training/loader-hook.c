/* Replaces two methods of PyTorch's DataLoader by functions that read the clock before and after
 * the original. */
#include <errno.h>
#include <stddef.h>

#include "../../door/door.h"
#include "hooks.h"
#include "training.h"

/* Replaces DataLoader.__iter__: calls the original, begins an epoch, and returns the original's
 * iterator; NULL if the original raised an exception. Preserves the original's errno. */
static python_object *iter_called(python_object *original, python_object *loader) {
  int saved = errno;
  struct training_sums outer = training_thread.sums;
  uint64_t before = training_loader_begins();
  training_thread.sums = (struct training_sums){0};
  errno = saved;
  uint64_t t1 = ticks_now();
  python_object *iterator = python_api.PyObject_CallFunctionObjArgs(original, loader, NULL);
  uint64_t t2 = ticks_after(t1);
  saved = errno;
  training_thread.loader = before;
  if (iterator) {
    struct training_settings settings = {
        .workers = hook_number(loader, "num_workers"),
        .prefetch = hook_number(loader, "prefetch_factor"),
        .persistent = hook_number(loader, "persistent_workers"),
        .batch_size = hook_number(loader, "batch_size"),
    };
    training_epoch_began(iterator, &settings, t1, t2);
  }
  training_thread.sums = outer;
  errno = saved;
  return iterator;
}

/* Replaces __next__ of the iterators: calls the original, counts the call with its time, and
 * returns the batch; NULL at the end of the epoch or if the original raised another exception. */
static python_object *next_called(python_object *original, python_object *iterator) {
  struct training_sums outer = training_thread.sums;
  training_thread.sums = (struct training_sums){0};
  uint64_t processor = training_processor_time(), t1 = ticks_now();
  python_object *batch = python_api.PyObject_CallFunctionObjArgs(original, iterator, NULL);
  uint64_t t2 = ticks_after(t1);
  int saved = errno;
  enum training_outcome outcome = GAVE_BATCH;
  if (!batch)
    outcome =
        python_api.PyErr_ExceptionMatches(*python_api.PyExc_StopIteration) ? GAVE_ALL : GAVE_ERROR;
  training_epoch_went_on(iterator, outcome, t1, t2, training_processor_time() - processor);
  training_thread.sums = outer;
  errno = saved;
  return batch;
}

static const struct python_method iter_method = {"__iter__", iter_called, PYTHON_ONE_ARGUMENT,
                                                 NULL},
                                  next_method = {"__next__", next_called, PYTHON_ONE_ARGUMENT,
                                                 NULL};

/* Replaces __next__ of the iterators, DataLoader.__iter__, and the functions of the fetcher. If
 * __next__ cannot be replaced, replaces nothing, because an epoch would have no steps. */
void training_replace_loader(python_object *module) {
  if (!hook_method_in(module, "_BaseDataLoaderIter", &next_method)) return;
  hook_method_in(module, "DataLoader", &iter_method);
  python_api.PyErr_Clear();
  training_replace_fetcher(module);
}
