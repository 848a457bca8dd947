#include "library.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>

#include "../../intercept/real.h"
#include "../../intercept/spin.h"
#include "../../job/runtime.h"

/* An address within the HDF5 library that this object depends on. */
static void *entry_below(const struct link_map *object) {
  void *found = NULL;
  if (object && object->l_name && object->l_name[0]) {
    void *handle = dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD);
    if (handle) {
      found = dlsym(handle, "H5get_libversion");
      dlclose(handle);
    }
  }
  return found;
}

/* The program itself, or an object whose scope does not tell (a tail call hides
 * the caller): the next in global scope, else the only one that is loaded. */
static void *entry_anywhere(void) {
  void *volatile found = dlsym(RTLD_NEXT, "H5get_libversion");
  if (found) return found;
  void *self = dlopen(NULL, RTLD_LAZY | RTLD_NOLOAD);
  struct link_map *map = NULL;
  if (!self || dlinfo(self, RTLD_DI_LINKMAP, &map) != 0) return NULL;
  for (; map; map = map->l_next) {
    void *here = entry_below(map);
    if (here && found && here != found) return NULL; /* not the only one */
    if (here) found = here;
  }
  return found;
}

static void ask_for_functions(struct h5_library *library) {
  unsigned major = 0, minor = 0, release = 0;
#define QUERY(name, type, params) library->name = (type(*) params)dlsym(library->handle, #name);
#include "queries.def"
#undef QUERY
  if (library->H5get_libversion) library->H5get_libversion(&major, &minor, &release);
  library->narrow_ids = major == 1 && minor < 10;
}

/* Known already, or one more; never while the loader may be waiting for us. */
static struct h5_library *add_library(struct h5_library *library) {
  struct hdf5_state *hdf5 = &darshan_rt.hdf5;
  struct h5_library *known = NULL;
  spin_lock(&hdf5->lock);
  for (uint32_t i = 0; i < hdf5->num_libraries; i++)
    if (hdf5->libraries[i]->handle == library->handle) known = hdf5->libraries[i];
  if (!known && hdf5->num_libraries < H5_LIBRARIES) {
    hdf5->libraries[hdf5->num_libraries] = known = library;
    library->number = ++hdf5->num_libraries;
  }
  spin_unlock(&hdf5->lock);
  return known;
}

static struct h5_library *library_at(const void *entry) {
  struct link_map *map = NULL;
  Dl_info info;
  if (!entry || !dladdr1(entry, &info, (void **)&map, RTLD_DL_LINKMAP) || !map || !map->l_name ||
      !map->l_name[0])
    return NULL;
  /* Held for good: a library that is unloaded cannot be asked any more. */
  void *handle = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) return NULL;
  struct h5_library *library = journal_private_memory(sizeof(*library));
  if (!library) return NULL;
  library->handle = handle;
  ask_for_functions(library);
  return add_library(library);
}

/* First call from this object. */
__attribute__((noinline)) static struct h5_library *meet_caller(const void *start, const void *end,
                                                                const struct link_map *object) {
  struct hdf5_state *hdf5 = &darshan_rt.hdf5;
  int saved = errno;
  void *entry = entry_below(object);
  if (!entry) entry = entry_anywhere();
  struct h5_library *library = library_at(entry);
  errno = saved;
  uint32_t at = (uint32_t)((uintptr_t)start >> 12) % H5_CALLERS;
  for (uint32_t i = 0; library && i < 8; i++) {
    uint32_t place = (at + i) % H5_CALLERS;
    if (hdf5->callers[place].object && hdf5->callers[place].object != start) continue;
    hdf5->callers[place].library = library;
    hdf5->callers[place].end = end; /* another object may come to lie there */
    __atomic_store_n(&hdf5->callers[place].object, start, __ATOMIC_RELEASE);
    break;
  }
  return library;
}

static struct h5_library *library_of(const void *caller) {
  struct hdf5_state *hdf5 = &darshan_rt.hdf5;
  struct dl_find_object found;
  if (_dl_find_object((void *)(uintptr_t)caller, &found) != 0)
    return meet_caller(caller, NULL, NULL);
  const void *start = found.dlfo_map_start;
  uint32_t at = (uint32_t)((uintptr_t)start >> 12) % H5_CALLERS;
  for (uint32_t i = 0; i < 8; i++) {
    uint32_t place = (at + i) % H5_CALLERS;
    if (__atomic_load_n(&hdf5->callers[place].object, __ATOMIC_ACQUIRE) == start &&
        hdf5->callers[place].end == found.dlfo_map_end)
      return hdf5->callers[place].library;
  }
  return meet_caller(start, found.dlfo_map_end, found.dlfo_link_map);
}

void *h5_function(int number, const char *name, const void *caller, struct h5_library **library) {
  void *function = NULL;
  *library = library_of(caller);
  if (*library) {
    function = __atomic_load_n(&(*library)->functions[number], __ATOMIC_ACQUIRE);
    if (LIKELY(function != NULL)) return function;
    int saved = errno;
    function = dlsym((*library)->handle, name);
    errno = saved;
    if (function) __atomic_store_n(&(*library)->functions[number], function, __ATOMIC_RELEASE);
  }
  if (!function) real_resolve(&function, name);
  return function;
}
