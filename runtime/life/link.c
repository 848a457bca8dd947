/* Makes the stubs of statically linked libraries call the wrappers. */
#include "../intercept/loader/linked.h"

#include <errno.h>

#include "../intercept/loader/conditional-export.h"
#include "../intercept/loader/loader.h"
#include "../job/runtime.h"
#include "life.h"

/* Returns a loader handle of this library, or NULL if the loader does not know it. */
static void *open_self(void) {
  const struct link_map *map = libc_object_of((void *)&darshan_link);
  if (!map) return NULL;
  return loader_open(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
}

/* Returns 1 if another library defines the function, otherwise 0. The loader then binds the program
 * to that library as usual, and the address in the stub's row may be this library's own wrapper. */
static int is_elsewhere(const char *name) {
  void *volatile found = dlsym(RTLD_NEXT, name);
  return found != NULL;
}

static void *wrapper_of(struct linked_call *row, void *self) {
  if (!row->real || row->wrapper || !self) return row->wrapper;
  if (is_elsewhere(row->name)) row->real = NULL;
  if (!row->real) return NULL;
  void *found = shown_wrapper(row->name);
  return found ? found : dlsym(self, row->name);
}

void darshan_link(struct linked_table *table) {
  int saved = errno;
  void *self = NULL;
  if (!darshan_config_active(&darshan_config)) return;
  if (!linked_is_here(table) && loader_is_there()) self = open_self();
  for (struct linked_call *row = table->first; row < table->end; row++) {
    void *wrapper = wrapper_of(row, self);
    if (row->real && row->stub && wrapper) __atomic_store_n(row->stub, wrapper, __ATOMIC_RELEASE);
  }
  if (!linked_is_here(table)) linked_add(table);
  if (self) dlclose(self);
  runtime_meet_program();
  errno = saved;
}
