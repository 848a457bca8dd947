/* Replacements of the functions with which PyTorch makes a batch, in a worker or in the process
 * itself.
 *
 * _DatasetKind.create_fetcher returns an object that makes the batches of an epoch. Its method
 * fetch requests samples from the data set and calls its attribute collate_fn with them. fetch is
 * replaced in its class, collate_fn in the object. */
#include <errno.h>
#include <stddef.h>

#include "../../door/door.h"
#include "hooks.h"
#include "training.h"

/* PyTorch's public function that returns a worker's number, and its module. */
static const char data_module[] = "torch.utils.data", info_function[] = "get_worker_info";

/* Replaces the method fetch of a fetcher: calls the original and counts its time. Returns the
 * original's result. */
static python_object *fetch_called(python_object *original, python_object *arguments) {
  struct training_fetch fetch;
  training_fetch_begins(&fetch);
  python_object *batch = python_api.PyObject_Call(original, arguments, NULL);
  training_fetch_ends(&fetch, batch != NULL);
  return batch;
}

/* Replaces the function collate_fn of a fetcher: calls the original and counts its time. Returns
 * the original's result. */
static python_object *collate_called(python_object *original, python_object *samples) {
  uint64_t t1 = ticks_now();
  python_object *batch = python_api.PyObject_CallFunctionObjArgs(original, samples, NULL);
  if (training_thread.fetches == 1) training_thread.sums.collate += ticks_after(t1) - t1;
  return batch;
}

/* Replaces Compose.__call__ or forward, which transforms a sample: calls the original, and adds its
 * time to the batch that this thread makes, if it makes one. A call within another such call is
 * part of that call. Returns the original's result. */
static python_object *transform_called(python_object *original, python_object *arguments,
                                       python_object *keywords) {
  struct training_thread *thread = &training_thread;
  thread->transforms++;
  uint64_t t1 = ticks_now();
  python_object *sample = python_api.PyObject_Call(original, arguments, keywords);
  if (--thread->transforms == 0 && thread->fetches) thread->sums.transform += ticks_after(t1) - t1;
  return sample;
}

static const struct python_method fetch_method = {"fetch", fetch_called, PYTHON_ARGUMENTS, NULL},
                                  collate_method = {"collate_fn", collate_called,
                                                    PYTHON_ONE_ARGUMENT, NULL};

/* Returns the number that PyTorch gave this process as a worker; -1 if it is not a worker. */
static int64_t worker_number(void) {
  python_object *module = hook_module(data_module);
  python_object *function =
      module ? python_api.PyObject_GetAttrString(module, info_function) : NULL;
  python_object *info = function ? python_api.PyObject_CallFunctionObjArgs(function, NULL) : NULL;
  int64_t number = info ? hook_number(info, "id") : -1;
  if (info) python_api.Py_DecRef(info);
  if (function) python_api.Py_DecRef(function);
  if (module) python_api.Py_DecRef(module);
  python_api.PyErr_Clear();
  return number;
}

/* Replaces fetch and collate_fn of a fetcher, makes files notify this module (training_watch), and,
 * if this process is a worker, makes its record. Leaves no exception set. */
static void watch(python_object *fetcher) {
  python_object *class = python_api.PyObject_GetAttrString(fetcher, "__class__");
  if (class && hook_method(class, &fetch_method)) hook_attribute(fetcher, &collate_method);
  if (class) python_api.Py_DecRef(class);
  python_api.PyErr_Clear();
  training_watch();
  int64_t number = worker_number();
  if (number >= 0) training_is_worker(number);
}

/* Replaces _DatasetKind.create_fetcher. Counts the call as a fetch without a batch, because the
 * call begins to iterate over an IterableDataset. Returns the original's result; NULL if Python has
 * raised an exception. */
static python_object *create_called(python_object *original, python_object *arguments,
                                    python_object *keywords) {
  struct training_fetch fetch;
  training_fetch_begins(&fetch);
  python_object *fetcher = python_api.PyObject_Call(original, arguments, keywords);
  training_fetch_ends(&fetch, 0);
  if (!fetcher) return NULL;
  int saved = errno;
  watch(fetcher);
  errno = saved;
  return fetcher;
}

/* Returns the description of a method of this name whose function has keywords. */
static struct python_method with_keywords(const char *name, python_function_of_keywords *function) {
  return (struct python_method){name, (python_function *)(void (*)(void))function,
                                PYTHON_ARGUMENTS | PYTHON_KEYWORDS, NULL};
}

void training_replace_fetcher(python_object *module) {
  static struct python_method method; /* static, because Python may use it for as long as it runs */
  method = with_keywords("create_fetcher", create_called);
  python_object *kind = python_api.PyObject_GetAttrString(module, "_DatasetKind");
  if (kind) hook_attribute(kind, &method);
  if (kind) python_api.Py_DecRef(kind);
}

void training_replace_transform(python_object *module) {
  static struct python_method call, forward;
  call = with_keywords("__call__", transform_called);
  forward = with_keywords("forward", transform_called);
  /* A class of transforms that inherits __call__ from PyTorch's Module implements forward
   * instead. */
  if (hook_method_in(module, "Compose", &forward)) return;
  python_api.PyErr_Clear();
  hook_method_in(module, "Compose", &call);
}
