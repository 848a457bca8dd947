/* Functions that replace functions of Python, for the files of this module. */
#ifndef DARSHAN_TRAINING_HOOKS_H
#define DARSHAN_TRAINING_HOOKS_H

#include "python-api.h"

/* Replaces a method of this class by a function whose `self` is the original method; the first
 * argument is the object. Returns 1 if it is replaced now, else 0. May leave an exception set. */
int hook_method(python_object *class, const struct python_method *method);
/* Like hook_method, for the class `class_name` of a module. Returns 0 also if the module lacks the
 * class. */
int hook_method_in(python_object *module, const char *class_name,
                   const struct python_method *method);
/* Sets an attribute of the object to a function whose `self` is the attribute's value, and which
 * gets no object. Returns 1 if it is replaced now, else 0. May leave an exception set. */
int hook_attribute(python_object *object, const struct python_method *method);

/* Returns a module of sys.modules, NULL if it was not imported. The caller releases the
 * reference. */
python_object *hook_module(const char *name);

/* Returns an attribute of the object that is a number or a flag, -1 if there is none. */
int64_t hook_number(python_object *object, const char *name);

/* Replace functions of a module (imports.def). */
void training_replace_loader(python_object *module);
void training_replace_fetcher(python_object *module);
void training_replace_transform(python_object *module);

#endif
