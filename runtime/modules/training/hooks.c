/* Replaces functions of Python.
 *
 * A method is replaced by an "instancemethod" of a C function that has the original as its `self`:
 * so the original lives as long as the class needs it, each interpreter has its own, and Python
 * gets no additional frame. */
#include <stddef.h>
#include <stdint.h>

#include "hooks.h"

int64_t hook_number(python_object *object, const char *name) {
  python_object *attribute = python_api.PyObject_GetAttrString(object, name);
  long number = attribute ? python_api.PyLong_AsLong(attribute) : -1;
  if (number == -1) python_api.PyErr_Clear();
  if (attribute) python_api.Py_DecRef(attribute);
  return number;
}

/* Returns 1 if the Python function is already the replacement method->function, otherwise 0. Leaves
 * no exception set. */
static int is_ours(python_object *function, const struct python_method *method) {
  if (python_api.PyCFunction_GetFunction(function) == method->function) return 1;
  python_api.PyErr_Clear(); /* clears the error if the function is not a C function */
  return 0;
}

int hook_method(python_object *class, const struct python_method *method) {
  python_object *original = python_api.PyObject_GetAttrString(class, method->name);
  python_object *function = NULL, *bound = NULL;
  int done = 0;
  if (!original) return 0;
  if (is_ours(original, method)) {
    done = 1;
  } else {
    function = python_api.PyCFunction_NewEx(method, original, NULL);
    if (function) bound = python_api.PyInstanceMethod_New(function);
    done = bound && python_api.PyObject_SetAttrString(class, method->name, bound) == 0;
  }
  if (bound) python_api.Py_DecRef(bound);
  if (function) python_api.Py_DecRef(function);
  python_api.Py_DecRef(original);
  return done;
}

int hook_method_in(python_object *module, const char *class_name,
                   const struct python_method *method) {
  python_object *class = python_api.PyObject_GetAttrString(module, class_name);
  if (!class) return 0;
  int done = hook_method(class, method);
  python_api.Py_DecRef(class);
  return done;
}

int hook_attribute(python_object *object, const struct python_method *method) {
  python_object *original = python_api.PyObject_GetAttrString(object, method->name);
  int done = 0;
  if (!original) return 0;
  if (is_ours(original, method)) {
    done = 1;
  } else {
    python_object *function = python_api.PyCFunction_NewEx(method, original, NULL);
    done = function && python_api.PyObject_SetAttrString(object, method->name, function) == 0;
    if (function) python_api.Py_DecRef(function);
  }
  python_api.Py_DecRef(original);
  return done;
}

python_object *hook_module(const char *name) {
  /* PyImport_GetModuleDict would end the program if the interpreter is ending and has no modules
   * any more. So the dictionary is read from sys. */
  python_object *modules = python_api.PySys_GetObject("modules");
  python_object *module = modules ? python_api.PyDict_GetItemString(modules, name) : NULL;
  if (module) python_api.Py_IncRef(module);
  return module;
}
