/* Finds functions in the program itself, where the dynamic loader cannot interpose wrappers: those
 * of statically linked libraries, and all functions of a static program. The linker's --wrap
 * directs the program's calls to stubs (link/). Each stub adds a row to a table, which is searched
 * here. */
#ifndef DARSHAN_LINKED_H
#define DARSHAN_LINKED_H

#include <stddef.h>

/* A row of the table of functions that are linked into a program. link/make-archives writes the
 * rows in assembler. */
struct linked_call {
  const char *name; /* of the function */
  void *real;       /* the real function; NULL: the program does not have it */
  void **stub; /* the address to which the stub jumps, at first the real function; NULL: no stub */
  void *wrapper; /* NULL: the wrapper is in the shared library */
};

/* The table of a program or library that uses the runtime as a shared library. */
struct linked_table {
  struct linked_table *next;
  struct linked_call *first, *end;
};

/* Called by the program's first constructor (link/register.c). From then on its stubs lead to the
 * wrappers (life/link.c). */
void darshan_link(struct linked_table *table) __attribute__((visibility("default")));

/* Makes the functions of this table known to linked_function. */
void linked_add(struct linked_table *table) __attribute__((visibility("hidden")));
/* Returns 1 if the table's rows are linked into one object with this library, which then finds them
 * itself. Otherwise returns 0. */
int linked_is_here(const struct linked_table *table) __attribute__((visibility("hidden")));

/* Returns the program's function of this name, or NULL. */
void *linked_function(const char *name) __attribute__((visibility("hidden")));

/* Returns 1 if this process has another copy of the runtime that precedes this one, otherwise 0. */
int linked_behind_another(void) __attribute__((visibility("hidden")));

#endif
