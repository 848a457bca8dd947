#include "library.h"

#include <errno.h>

#include "../log/journal.h"
#include "linked.h"
#include "loader.h"
#include "real.h"
#include "spin.h"

/* An address within the library that this object depends on. */
static void *entry_below(const struct link_map *object, const char *name) {
  void *found = NULL;
  if (object && object->l_name && object->l_name[0]) {
    void *handle = dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD);
    if (handle) {
      found = dlsym(handle, name);
      dlclose(handle);
    }
  }
  return found;
}

/* The program itself, or an object whose scope does not tell (a tail call hides
 * the caller): the next in global scope, else the only one that is loaded. */
static void *entry_anywhere(const char *name) {
  void *volatile found = dlsym(RTLD_NEXT, name);
  if (found) return found;
  void *self = dlopen(NULL, RTLD_LAZY | RTLD_NOLOAD);
  struct link_map *map = NULL;
  if (!self || dlinfo(self, RTLD_DI_LINKMAP, &map) != 0) return NULL;
  for (; map; map = map->l_next) {
    void *here = entry_below(map, name);
    if (here && found && here != found) return NULL; /* not the only one */
    if (here) found = here;
  }
  return found;
}

/* Known already, or one more; never while the loader may be waiting for us. */
static struct library *add_library(struct libraries *libraries, struct library *library) {
  struct library *known = NULL;
  spin_lock(&libraries->lock);
  for (uint32_t i = 0; i < libraries->count; i++)
    if (libraries->found[i]->handle == library->handle) known = libraries->found[i];
  if (!known && libraries->count < LIBRARIES) {
    libraries->found[libraries->count] = known = library;
    library->number = ++libraries->count;
  }
  spin_unlock(&libraries->lock);
  return known;
}

static struct library *new_library(struct libraries *libraries, const struct library_kind *kind,
                                   void *handle) {
  struct library *library = journal_private_memory(kind->size);
  if (!library) return NULL;
  library->handle = handle;
  kind->ask(library);
  return add_library(libraries, library);
}

static struct library *library_at(struct libraries *libraries, const struct library_kind *kind,
                                  const void *entry) {
  struct link_map *map = NULL;
  Dl_info info;
  if (!entry || !dladdr1(entry, &info, (void **)&map, RTLD_DL_LINKMAP) || !map || !map->l_name ||
      !map->l_name[0])
    return NULL;
  /* Held for good: a library that is unloaded cannot be asked any more. */
  void *handle = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
  return handle ? new_library(libraries, kind, handle) : NULL;
}

/* The program itself may hold the library; other objects never use that one. */
static struct library *search(struct libraries *libraries, const struct library_kind *kind,
                              const struct link_map *object) {
  int program = !object || !object->l_name || !object->l_name[0];
  if (program && linked_function(kind->entry)) return new_library(libraries, kind, LIBRARY_INSIDE);
  if (!loader_is_there()) return NULL;
  void *entry = entry_below(object, kind->entry);
  if (!entry) entry = entry_anywhere(kind->entry);
  return library_at(libraries, kind, entry);
}

/* First call from this object. */
__attribute__((noinline)) static struct library *meet_caller(struct libraries *libraries,
                                                             const struct library_kind *kind,
                                                             const void *start, const void *end,
                                                             const struct link_map *object) {
  int saved = errno;
  struct library *library = search(libraries, kind, object);
  errno = saved;
  uint32_t at = (uint32_t)((uintptr_t)start >> 12) % LIBRARY_CALLERS;
  for (uint32_t i = 0; library && i < 8; i++) {
    uint32_t place = (at + i) % LIBRARY_CALLERS;
    if (libraries->callers[place].object && libraries->callers[place].object != start) continue;
    libraries->callers[place].library = library;
    libraries->callers[place].end = end; /* another object may come to lie there */
    __atomic_store_n(&libraries->callers[place].object, start, __ATOMIC_RELEASE);
    break;
  }
  return library;
}

struct library *library_of(struct libraries *libraries, const struct library_kind *kind,
                           const void *caller) {
  struct dl_find_object found;
  if (_dl_find_object((void *)(uintptr_t)caller, &found) != 0)
    return meet_caller(libraries, kind, caller, NULL, NULL);
  const void *start = found.dlfo_map_start;
  uint32_t at = (uint32_t)((uintptr_t)start >> 12) % LIBRARY_CALLERS;
  for (uint32_t i = 0; i < 8; i++) {
    uint32_t place = (at + i) % LIBRARY_CALLERS;
    if (__atomic_load_n(&libraries->callers[place].object, __ATOMIC_ACQUIRE) == start &&
        libraries->callers[place].end == found.dlfo_map_end)
      return libraries->callers[place].library;
  }
  return meet_caller(libraries, kind, start, found.dlfo_map_end, found.dlfo_link_map);
}

void *library_ask(const struct library *library, const char *name) {
  if (library->handle == LIBRARY_INSIDE) return linked_function(name);
  return dlsym(library->handle, name);
}

void *library_function(const struct library *library, void **slot, const char *name) {
  void *function = NULL;
  if (library) {
    function = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    if (LIKELY(function != NULL)) return function;
    int saved = errno;
    function = library_ask(library, name);
    errno = saved;
    if (function) __atomic_store_n(slot, function, __ATOMIC_RELEASE);
  }
  if (!function) real_resolve(&function, name);
  return function;
}
