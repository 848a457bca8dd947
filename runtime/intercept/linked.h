/* Functions that lie in the program itself, where no loader can come between:
 * those of a library linked in statically, and everything in a static program.
 * The linker's --wrap sends the program's calls to stubs (link/); each stub puts
 * a row into a table, and the tables are found here. */
#ifndef DARSHAN_LINKED_H
#define DARSHAN_LINKED_H

#include <stddef.h>

/* A row; link/make-archives writes them in assembler. */
struct linked_call {
  const char *name;
  void *real;    /* NULL: not in the program after all */
  void **stub;   /* where its stub jumps to, at first the real function; NULL: no such stub */
  void *wrapper; /* NULL: in the shared library */
};

/* The table of a program (or library) that has the runtime as a shared library. */
struct linked_table {
  struct linked_table *next;
  struct linked_call *first, *end;
};

/* Called by the program's first constructor (link/register.c): from now on its
 * stubs lead to the wrappers (life/link.c). */
void darshan_link(struct linked_table *table) __attribute__((visibility("default")));

/* Its functions can be found from now on. */
void linked_add(struct linked_table *table) __attribute__((visibility("hidden")));
/* 1: the rows are linked together with this library, which knows them without being told. */
int linked_is_here(const struct linked_table *table) __attribute__((visibility("hidden")));

/* The function of this name in the program itself; NULL: there is none. */
void *linked_function(const char *name) __attribute__((visibility("hidden")));

/* Another copy of the runtime is in this process and comes first. */
int linked_behind_another(void) __attribute__((visibility("hidden")));

#endif
