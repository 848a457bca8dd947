/* Finds functions that are linked into the program itself. */
#include "linked.h"

#include <string.h>
#include <sys/auxv.h>

#include "loader.h"

/* The rows of the stubs in the same executable or library as this file. The linker defines these
 * symbols at both ends of the section, if the section exists. */
extern struct linked_call rows_here[] __asm__("__start_darshan_linked")
    __attribute__((weak, visibility("hidden")));
extern struct linked_call rows_end[] __asm__("__stop_darshan_linked")
    __attribute__((weak, visibility("hidden")));

static struct linked_table *elsewhere; /* tables of programs with statically linked libraries */

static void *function_among(const struct linked_call *first, const struct linked_call *end,
                            const char *name) {
  for (const struct linked_call *row = first; row < end; row++)
    if (row->real && strcmp(row->name, name) == 0) return row->real;
  return NULL;
}

void *linked_function(const char *name) {
  void *found = function_among(rows_here, rows_end, name);
  for (const struct linked_table *table = elsewhere; table && !found; table = table->next)
    found = function_among(table->first, table->end, name);
  return found;
}

void linked_add(struct linked_table *table) {
  table->next = elsewhere;
  __atomic_store_n(&elsewhere, table, __ATOMIC_RELEASE);
}

int linked_is_here(const struct linked_table *table) {
  return table->first == rows_here;
}

int linked_behind_another(void) {
  if (!dlsym || !getauxval(AT_BASE /* of the loader, if there is one */)) return 0;
  void *volatile first = dlsym(RTLD_DEFAULT, "darshan_link");
  return first && first != (void *)&darshan_link;
}
