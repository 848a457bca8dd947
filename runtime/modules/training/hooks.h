/* Functions of this module that replace functions of Python. */
#ifndef DARSHAN_TRAINING_HOOKS_H
#define DARSHAN_TRAINING_HOOKS_H

#include "python-api.h"

/* Replaces the method method->name of this Python class by method->function, whose `self` is the
 * original method and whose first argument is the object. *method must stay valid. Returns 1 if the
 * method is replaced, by this or an earlier call, else 0. May leave an exception set. The caller of
 * this function and those below holds Python's lock (GIL). */
int hook_method(python_object *class, const struct python_method *method);
/* Replaces a method of the class `class_name` of a module, as hook_method does. Returns the same
 * values, and also 0 if the module lacks the class. */
int hook_method_in(python_object *module, const char *class_name,
                   const struct python_method *method);
/* Replaces the attribute method->name of the object by the function, whose `self` is the
 * attribute's value; it does not receive the object. Returns the same values as hook_method. May
 * leave an exception set. */
int hook_attribute(python_object *object, const struct python_method *method);

/* Returns the Python module of this name from sys.modules; NULL if it was not imported. The caller
 * releases the reference (Py_DecRef). */
python_object *hook_module(const char *name);

/* Returns an attribute of the object that is an integer or a bool; -1 if there is no such
 * attribute, or it is neither. Leaves no exception set. */
int64_t hook_number(python_object *object, const char *name);

/* Replace functions of a Python module that was just imported (last column of imports.def):
 * training_replace_loader those of PyTorch's DataLoader and of its iterators and fetchers;
 * training_replace_fetcher those of the fetchers alone; training_replace_transform the class
 * Compose of a library of transforms. Functions that the module lacks are left out. May leave an
 * exception set. */
void training_replace_loader(python_object *module);
void training_replace_fetcher(python_object *module);
void training_replace_transform(python_object *module);

#endif
