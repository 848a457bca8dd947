/* The part of Python's C API that this module uses. The functions are found by name in the process
 * that has loaded Python, so the runtime is not linked with Python and does not need its
 * headers. */
#ifndef DARSHAN_PYTHON_API_H
#define DARSHAN_PYTHON_API_H

#include <stdbool.h>

typedef struct python_object python_object; /* PyObject */
typedef python_object *python_function(python_object *self, python_object *argument);

/* A function (METH_VARARGS | METH_KEYWORDS) that receives its arguments as a tuple, and keywords as
 * a dictionary or NULL. Returns a new reference, or NULL if an exception is set. */
typedef python_object *python_function_of_keywords(python_object *self, python_object *arguments,
                                                   python_object *keywords);

/* PyMethodDef. Its flags are PYTHON_ARGUMENTS (METH_VARARGS: the function receives a tuple),
 * PYTHON_KEYWORDS (METH_KEYWORDS: it also receives a dictionary) and PYTHON_ONE_ARGUMENT (METH_O:
 * it has one argument). */
struct python_method {
  const char *name;
  python_function *function;
  int flags;
  const char *doc;
};
enum { PYTHON_ARGUMENTS = 0x0001, PYTHON_KEYWORDS = 0x0002, PYTHON_ONE_ARGUMENT = 0x0008 };

/* The addresses of Python's functions and variables; NULL before python_api_find has returned
 * true. */
struct python_api {
#define PYTHON_FUNCTION(name, result, parameters) result(*name) parameters;
#define PYTHON_VARIABLE(name) python_object **name;
#include "python-api.def"
#undef PYTHON_FUNCTION
#undef PYTHON_VARIABLE
};
extern struct python_api python_api __attribute__((visibility("hidden")));

/* Fills in python_api, unless an earlier call did. Returns true, or false if a function is missing,
 * or if the frames of the interpreter cannot be read (python-frames.h), as in builds without a GIL.
 * Preserves errno. */
bool python_api_find(void) __attribute__((visibility("hidden")));

#endif
