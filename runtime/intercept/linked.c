#include "linked.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>

#include "../job/runtime.h"
#include "loader.h"

static struct linked_table *linked_tables; /* programs that hold libraries in themselves */

/* The rows of stubs that are linked together with this file; the linker gives
 * these names to the ends of their section, if there is one. */
extern struct linked_call rows_here[] __asm__("__start_darshan_linked")
    __attribute__((weak, visibility("hidden")));
extern struct linked_call rows_end[] __asm__("__stop_darshan_linked")
    __attribute__((weak, visibility("hidden")));

static void *function_among(const struct linked_call *first, const struct linked_call *end,
                            const char *name) {
  for (const struct linked_call *row = first; row < end; row++)
    if (row->real && strcmp(row->name, name) == 0) return row->real;
  return NULL;
}

void *linked_function(const char *name) {
  void *found = function_among(rows_here, rows_end, name);
  for (const struct linked_table *table = linked_tables; table && !found; table = table->next)
    found = function_among(table->first, table->end, name);
  return found;
}

/* A handle of this library. */
static void *open_self(void) {
  struct link_map *map = NULL;
  Dl_info info;
  if (!dladdr1((void *)&darshan_link, &info, (void **)&map, RTLD_DL_LINKMAP) || !map) return NULL;
  return dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
}

/* What another library has is reached through the loader, as ever: its address
 * may even be this library's own wrapper. */
static int is_elsewhere(const char *name) {
  void *volatile found = dlsym(RTLD_NEXT, name);
  return found != NULL;
}

static void *wrapper_of(struct linked_call *row, void *self) {
  if (!row->real || row->wrapper || !self) return row->wrapper;
  if (is_elsewhere(row->name)) row->real = NULL;
  return row->real ? dlsym(self, row->name) : NULL;
}

void darshan_link(struct linked_table *table) {
  int saved = errno;
  void *self = NULL;
  if (!darshan_config_active(&darshan_config)) return;
  if (table->first != rows_here && loader_is_there()) self = open_self();
  for (struct linked_call *row = table->first; row < table->end; row++) {
    void *wrapper = wrapper_of(row, self);
    if (row->real && row->stub && wrapper) __atomic_store_n(row->stub, wrapper, __ATOMIC_RELEASE);
  }
  if (table->first != rows_here) {
    table->next = linked_tables;
    __atomic_store_n(&linked_tables, table, __ATOMIC_RELEASE);
  }
  if (self) dlclose(self);
  runtime_meet_program();
  errno = saved;
}

int linked_behind_another(void) {
  if (!dlsym || !getauxval(AT_BASE /* of the loader: none in a static program */)) return 0;
  void *volatile first = dlsym(RTLD_DEFAULT, "darshan_link");
  return first && first != (void *)&darshan_link;
}
