/* Replaces two methods of PyTorch's DataLoader by functions that read the clock around the original
 * one.
 *
 * The first sign of PyTorch's loader is that its file is opened, before the code in it is executed.
 * From there Python is asked to call `attach` between two of its instructions (Py_AddPendingCall).
 * Its module exists then, but mostly without its classes. The import system keeps a value in the
 * module's specification while it executes the module's code, and overwrites it at the end: attach
 * puts an object there whose destructor replaces the methods.
 *
 * A method is replaced by an "instancemethod" of a C function that has the original as its `self`:
 * so the original lives as long as the class needs it, each interpreter has its own, and Python
 * gets no additional frame. */
#include <errno.h>
#include <stddef.h>

#include "../../door/door.h"
#include "../../intercept/sys/sys.h"
#include "python-api.h"
#include "training.h"

static const char module_name[] = "torch.utils.data.dataloader", initializing[] = "_initializing";

static uint64_t processor_time(void) {
  struct timespec now = {0, 0};
  SYS2(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

/* --- the methods ------------------------------------------------------------------------- */

/* Returns an attribute of the object that is a number or a flag, -1 if there is none. */
static int64_t number_of(python_object *object, const char *name) {
  python_object *attribute = python_api.PyObject_GetAttrString(object, name);
  long number = attribute ? python_api.PyLong_AsLong(attribute) : -1;
  if (number == -1) python_api.PyErr_Clear();
  if (attribute) python_api.Py_DecRef(attribute);
  return number;
}

/* Replaces DataLoader.__iter__: calls the original, begins an epoch, and returns the iterator; NULL
 * if the original raised an exception. */
static python_object *iter_called(python_object *original, python_object *loader) {
  uint64_t t1 = ticks_now();
  python_object *iterator = python_api.PyObject_CallFunctionObjArgs(original, loader, NULL);
  uint64_t t2 = ticks_after(t1);
  if (!iterator) return NULL;
  int saved = errno;
  struct training_settings settings = {
      .workers = number_of(loader, "num_workers"),
      .prefetch = number_of(loader, "prefetch_factor"),
      .persistent = number_of(loader, "persistent_workers"),
      .batch_size = number_of(loader, "batch_size"),
  };
  training_epoch_began(iterator, &settings, t1, t2);
  errno = saved;
  return iterator;
}

/* Replaces __next__ of the iterators: calls the original, counts the call with its time, and
 * returns the batch; NULL at the end of the epoch or if the original raised another exception. */
static python_object *next_called(python_object *original, python_object *iterator) {
  uint64_t processor = processor_time(), t1 = ticks_now();
  python_object *batch = python_api.PyObject_CallFunctionObjArgs(original, iterator, NULL);
  uint64_t t2 = ticks_after(t1);
  int saved = errno;
  enum training_outcome outcome = GAVE_BATCH;
  if (!batch)
    outcome =
        python_api.PyErr_ExceptionMatches(*python_api.PyExc_StopIteration) ? GAVE_ALL : GAVE_ERROR;
  training_epoch_went_on(iterator, outcome, t1, t2, processor_time() - processor);
  errno = saved;
  return batch;
}

static const struct python_method iter_method = {"__iter__", iter_called, PYTHON_ONE_ARGUMENT,
                                                 NULL},
                                  next_method = {"__next__", next_called, PYTHON_ONE_ARGUMENT,
                                                 NULL};

/* --- replacing them ---------------------------------------------------------------------- */

/* Returns 1 if the method of this class is replaced now, else 0. */
static int replace_method(python_object *class, const struct python_method *method) {
  python_object *original = python_api.PyObject_GetAttrString(class, method->name);
  python_object *function = NULL, *bound = NULL;
  int done = 0;
  if (!original) return 0;
  if (python_api.PyCFunction_GetFunction(original) == method->function) {
    done = 1;
  } else {
    python_api.PyErr_Clear(); /* the original is no C function */
    function = python_api.PyCFunction_NewEx(method, original, NULL);
    if (function) bound = python_api.PyInstanceMethod_New(function);
    done = bound && python_api.PyObject_SetAttrString(class, method->name, bound) == 0;
  }
  if (bound) python_api.Py_DecRef(bound);
  if (function) python_api.Py_DecRef(function);
  python_api.Py_DecRef(original);
  return done;
}

/* Replaces a method of this class of the module. Returns 1, or 0 if the module lacks the class or
 * the method is not replaced. */
static int replace_in(python_object *module, const char *class_name,
                      const struct python_method *method) {
  python_object *class = python_api.PyObject_GetAttrString(module, class_name);
  if (!class) return 0;
  int done = replace_method(class, method);
  python_api.Py_DecRef(class);
  return done;
}

/* Replaces both methods: without __next__ an epoch would have no steps. */
static void replace_methods(python_object *module) {
  if (replace_in(module, "_BaseDataLoaderIter", &next_method))
    replace_in(module, "DataLoader", &iter_method);
}

/* Returns PyTorch's module torch.utils.data.dataloader, NULL if it was not imported. The caller
 * releases the reference. Does not call PyImport_GetModuleDict, which would end the program if the
 * interpreter is ending and has no modules any more. */
static python_object *loader_module(void) {
  python_object *modules = python_api.PySys_GetObject("modules");
  python_object *module = modules ? python_api.PyDict_GetItemString(modules, module_name) : NULL;
  if (module) python_api.Py_IncRef(module);
  return module;
}

/* The destructor of the object that waits for the end of the import. If the import failed, the
 * module is gone. */
static void import_ended(python_object *waiting) {
  python_object *error[3];
  int saved = errno;
  (void)waiting;
  python_api.PyErr_Fetch(&error[0], &error[1], &error[2]);
  python_object *module = loader_module();
  if (module) {
    replace_methods(module);
    python_api.PyErr_Clear();
    python_api.Py_DecRef(module);
  }
  python_api.PyErr_Restore(error[0], error[1], error[2]);
  errno = saved;
}

/* Arranges that import_ended is called when the import of the module ends. Returns 1, or 0 if no
 * import is in progress. */
static int wait_for_import(python_object *module) {
  static char any; /* a capsule needs a pointer */
  int waits = 0;
  python_object *specification = python_api.PyObject_GetAttrString(module, "__spec__");
  python_object *state =
      specification ? python_api.PyObject_GetAttrString(specification, initializing) : NULL;
  if (state && python_api.PyObject_IsTrue(state) == 1) {
    python_object *waiting = python_api.PyCapsule_New(&any, NULL, import_ended);
    waits = waiting && python_api.PyObject_SetAttrString(specification, initializing, waiting) == 0;
    if (waiting) python_api.Py_DecRef(waiting);
  }
  if (state) python_api.Py_DecRef(state);
  if (specification) python_api.Py_DecRef(specification);
  return waits;
}

/* Replaces the methods, now or at the end of the module's import. Python calls it in its main
 * thread between two instructions. Always returns 0, because -1 would raise an exception in the
 * program. */
static int attach(void *nothing) {
  int saved = errno;
  (void)nothing;
  python_object *module = loader_module();
  if (module) {
    if (!wait_for_import(module)) {
      python_api.PyErr_Clear();
      replace_methods(module);
    }
    python_api.PyErr_Clear();
    python_api.Py_DecRef(module);
  }
  errno = saved;
  return 0;
}

void training_loader_is_read(const char *path) {
  enum { MOST = 16 }; /* reads of the file: the program may read it without importing it */
  static unsigned reads;
  if (!strstr(path, "torch/utils/data/")) return;
  if (__atomic_fetch_add(&reads, 1, __ATOMIC_RELAXED) >= MOST || !python_api_find()) {
    training_on = 0;
    return;
  }
  int saved = errno;
  python_api.Py_AddPendingCall(attach, NULL);
  errno = saved;
}
