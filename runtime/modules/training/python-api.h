/* The part of Python's C API that this module uses. The functions are found by name in the process
 * that has loaded Python, so the runtime is not linked with Python and does not need its
 * headers. */
#ifndef DARSHAN_PYTHON_API_H
#define DARSHAN_PYTHON_API_H

#include <stdbool.h>

typedef struct python_object python_object; /* PyObject */
typedef python_object *python_function(python_object *self, python_object *argument);

/* A function that receives its arguments as a tuple, and keywords as a dictionary or NULL. */
typedef python_object *python_function_of_keywords(python_object *self, python_object *arguments,
                                                   python_object *keywords);

/* PyMethodDef, and its flags. METH_O: the function has one argument. METH_VARARGS: it receives a
 * tuple. METH_KEYWORDS: it also receives a dictionary. */
struct python_method {
  const char *name;
  python_function *function;
  int flags;
  const char *doc;
};
enum { PYTHON_ARGUMENTS = 0x0001, PYTHON_KEYWORDS = 0x0002, PYTHON_ONE_ARGUMENT = 0x0008 };

struct python_api {
#define PYTHON_FUNCTION(name, result, parameters) result(*name) parameters;
#define PYTHON_VARIABLE(name) python_object **name;
#include "python-api.def"
#undef PYTHON_FUNCTION
#undef PYTHON_VARIABLE
};
extern struct python_api python_api __attribute__((visibility("hidden")));

/* Finds the functions at its first call. Returns true, or false if one is missing, or if the frames
 * of the interpreter cannot be read (python-frames.h), as in builds without a GIL. Preserves
 * errno. */
bool python_api_find(void) __attribute__((visibility("hidden")));

#endif
