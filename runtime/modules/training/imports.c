/* Replaces functions of libraries when they are imported.
 *
 * The first sign of a library is that one of its files is opened, before the code in it is
 * executed. At that point Python is requested to call `attach` between two of its instructions
 * (Py_AddPendingCall). The file's module then exists, but mostly without its classes. The import
 * system keeps a value in the module's specification while it executes the module's code, and
 * overwrites it at the end: attach puts an object there whose destructor replaces the functions. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "../../door/door.h"
#include "hooks.h"
#include "training.h"

static const char initializing[] = "_initializing";

/* A row of imports.def: the begin of the name of a file that Python loads, the end of its folder's
 * path, the name of its Python module, and the function that replaces functions of that module. */
struct import {
  const char *file, *folder, *module;
  void (*replace)(python_object *module);
};
static const struct import imports[] = {
#define IMPORT(file, folder, module, replace) {file, folder, module, replace},
#include "imports.def"
#undef IMPORT
};
enum { IMPORTS = sizeof(imports) / sizeof(imports[0]), MOST_READS = 16 };
/* Number of times that the file of each row was opened; the program may open it without importing
 * it. */
static unsigned reads[IMPORTS] SELDOM;

/* The destructor of the object that waits for the end of an import: replaces the functions of the
 * module. If the import failed, the module does not exist, and nothing happens. Preserves errno and
 * Python's current exception. */
static void import_ended(python_object *waiting) {
  python_object *error[3];
  int saved = errno;
  python_api.PyErr_Fetch(&error[0], &error[1], &error[2]);
  const struct import *import = python_api.PyCapsule_GetPointer(waiting, NULL);
  python_object *module = import ? hook_module(import->module) : NULL;
  if (module) {
    import->replace(module);
    python_api.Py_DecRef(module);
  }
  python_api.PyErr_Clear();
  python_api.PyErr_Restore(error[0], error[1], error[2]);
  errno = saved;
}

/* Causes import_ended to be called when the import of the module ends. Returns 1, or 0 if the
 * module is not being imported now. May leave an exception set. */
static int wait_for_import(python_object *module, const struct import *import) {
  int waits = 0;
  python_object *specification = python_api.PyObject_GetAttrString(module, "__spec__");
  python_object *state =
      specification ? python_api.PyObject_GetAttrString(specification, initializing) : NULL;
  if (state && python_api.PyObject_IsTrue(state) == 1) {
    python_object *waiting = python_api.PyCapsule_New((void *)import, NULL, import_ended);
    waits = waiting && python_api.PyObject_SetAttrString(specification, initializing, waiting) == 0;
    if (waiting) python_api.Py_DecRef(waiting);
  }
  if (state) python_api.Py_DecRef(state);
  if (specification) python_api.Py_DecRef(specification);
  return waits;
}

/* Replaces the functions of a row of imports.def (import_), now or at the end of the module's
 * import. Python calls this function in its main thread between two instructions. Always returns 0,
 * because -1 would raise an exception in the program. */
static int attach(void *import_) {
  int saved = errno;
  const struct import *import = import_;
  python_object *module = hook_module(import->module);
  if (module) {
    if (!wait_for_import(module, import)) {
      python_api.PyErr_Clear();
      import->replace(module);
    }
    python_api.PyErr_Clear();
    python_api.Py_DecRef(module);
  }
  errno = saved;
  return 0;
}

/* Returns 1 if the path of a file, whose name begins at `name`, has this folder (the end of a path,
 * with a slash at its end) before the name, or before __pycache__/ and the name. Otherwise
 * returns 0. */
static int is_in(const char *path, const char *name, const char *folder) {
  static const char cache[] = "__pycache__/";
  size_t length = (size_t)(name - path), part = sizeof(cache) - 1, end = strlen(folder);
  if (length >= part && strncmp(name - part, cache, part) == 0) length -= part;
  return length >= end && strncmp(path + length - end, folder, end) == 0;
}

/* If the path is that of the row's file, requests Python to call attach for the row, at most
 * MOST_READS times. name: the last part of the path. Switches the module off if Python's functions
 * cannot be used. */
static void ask(const struct import *import, const char *path, const char *name) {
  if (!is_in(path, name, import->folder)) return;
  if (__atomic_fetch_add(&reads[import - imports], 1, __ATOMIC_RELAXED) >= MOST_READS) return;
  if (!python_api_find()) {
    training_on = 0;
    return;
  }
  int saved = errno;
  python_api.Py_AddPendingCall(attach, (void *)import);
  errno = saved;
}

void training_name_is_opened(const char *path) {
  const char *last = strrchr(path, '/');
  if (!last) return;
  for (int i = 0; i < IMPORTS; i++)
    if (last[1] == imports[i].file[0] &&
        strncmp(last + 1, imports[i].file, strlen(imports[i].file)) == 0)
      ask(&imports[i], path, last + 1);
}
