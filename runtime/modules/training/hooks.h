/* Functions of this module that replace functions of Python. */
#ifndef DARSHAN_TRAINING_HOOKS_H
#define DARSHAN_TRAINING_HOOKS_H

#include "python-api.h"

/* Replaces a method of this class by a function whose `self` is the original method and whose first
 * argument is the object. Returns 1 if the method is replaced, by this or an earlier call, else 0.
 * May leave an exception set. */
int hook_method(python_object *class, const struct python_method *method);
/* Replaces a method of the class `class_name` of a module, as hook_method does. Returns the same
 * values, and also 0 if the module lacks the class. */
int hook_method_in(python_object *module, const char *class_name,
                   const struct python_method *method);
/* Replaces an attribute of the object by a function whose `self` is the attribute's value; it does
 * not receive the object. Returns the same values as hook_method. May leave an exception set. */
int hook_attribute(python_object *object, const struct python_method *method);

/* Returns a module of sys.modules; NULL if it was not imported. The caller releases the
 * reference. */
python_object *hook_module(const char *name);

/* Returns an attribute of the object that is a number or a flag; -1 if there is no such attribute,
 * or it is not a number. */
int64_t hook_number(python_object *object, const char *name);

/* Replace the functions of a module that imports.def names. module: the imported Python module. */
void training_replace_loader(python_object *module);
void training_replace_fetcher(python_object *module);
void training_replace_transform(python_object *module);

#endif
