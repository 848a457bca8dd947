/* Finds the library that a caller uses (library.h), and forgets unloaded libraries. */
#include "library.h"

#include <errno.h>
#include <string.h>

#include "../memory.h"
#include "../real.h"
#include "../spin.h"
#include "../stack.h"
#include "libc-direct.h"
#include "linked.h"
#include "loader.h"

/* Returns the address of this function in the library that the object depends on, or NULL. */
static void *entry_below(const struct link_map *object, const char *name) {
  void *found = NULL;
  if (object && object->l_name && object->l_name[0]) {
    void *handle = loader_open(object->l_name, RTLD_LAZY | RTLD_NOLOAD);
    if (handle) {
      found = loader_symbol(handle, name);
      dlclose(handle);
    }
  }
  return found;
}

/* Returns the next function of this name in global scope, else that of the only loaded library that
 * has it; NULL if there is none or several libraries have it. Used for the program itself, and for
 * an object whose dependencies lack the function (because a tail call hides the real caller). */
static void *entry_anywhere(const char *name) {
  void *found = loader_symbol(RTLD_NEXT, name);
  if (found) return found;
  void *self = loader_open(NULL, RTLD_LAZY | RTLD_NOLOAD);
  struct link_map *map = NULL;
  if (!self || dlinfo(self, RTLD_DI_LINKMAP, &map) != 0) return NULL;
  for (; map; map = map->l_next) {
    void *here = entry_below(map, name);
    if (here && found && here != found) return NULL; /* several libraries have it */
    if (here) found = here;
  }
  return found;
}

static void *open_object(const struct link_map *object) {
  return loader_open(object->l_name, RTLD_LAZY | RTLD_NOLOAD);
}

/* Returns the loaded library of this object, or NULL. The caller holds libraries->lock. */
static struct library *known_library(const struct libraries *libraries,
                                     const struct link_map *object) {
  struct library *library = libraries->first;
  while (library && (library->life != LIBRARY_LOADED || library->object != object))
    library = library->next;
  return library;
}

/* The kinds of libraries (such as MPI and HDF5) of which one was found: dlclose may
 * unload a library of any of them. */
enum { KINDS = 8 };
static struct libraries *kinds[KINDS];

static void remember_kind(struct libraries *libraries) {
  for (int i = 0; i < KINDS; i++) {
    struct libraries *none = NULL;
    if (__atomic_compare_exchange_n(&kinds[i], &none, libraries, 0, __ATOMIC_RELEASE,
                                    __ATOMIC_ACQUIRE) ||
        none == libraries)
      return;
  }
}

/* Reserves and returns the slot of an unloaded library; returns NULL if no slot is free. The caller
 * holds libraries->lock. */
static struct library *free_place(const struct libraries *libraries) {
  struct library *place = libraries->first;
  while (place && place->life != LIBRARY_GONE)
    place = place->next;
  if (place) place->life = LIBRARY_IN_THE_MAKING;
  return place;
}

/* Returns the reused slot of an unloaded library or a new slot; NULL if out of memory. */
static struct library *new_place(struct libraries *libraries, const struct library_kind *kind) {
  int begun;
  remember_kind(libraries);
  if (!spin_lock_alone(SPIN_TABLE, &libraries->lock, &begun)) return NULL;
  struct library *place = free_place(libraries);
  spin_unlock_alone(&libraries->lock, begun);
  if (place) {
    /* Zeroes all members but the link to the next slot and the state, which other threads may
     * read. */
    size_t kept = offsetof(struct library, life) + sizeof(place->life);
    memset((char *)place + kept, 0, kind->size - kept);
    return place;
  }
  place = kind->memory(kind->size);
  if (!place || !spin_lock_alone(SPIN_TABLE, &libraries->lock, &begun)) return NULL;
  place->next = libraries->first;
  place->number = ++libraries->count;
  __atomic_store_n(&libraries->first, place, __ATOMIC_RELEASE);
  spin_unlock_alone(&libraries->lock, begun);
  return place;
}

/* Returns 1 if the object is the program or was loaded with it, so that the loader never unloads
 * it. Otherwise returns 0. The loader appends the objects that it loads later to its list, behind
 * libc. An object behind libc may have been loaded with the program, too; the loader is then
 * queried at each call. */
static int came_with_program(const struct link_map *object) {
  const void *inside = straight_function("dl_iterate_phdr");
  const struct link_map *libc = inside ? libc_object_of(inside) : NULL;
  for (const struct link_map *map = libc_first_object(); libc && map; map = map->l_next) {
    if (map == object) return 1;
    if (map == libc) return 0;
  }
  return 0;
}

/* Returns the library of this object, and adds it if it is new; NULL if there is no slot. Queries
 * the loader without the lock, because a thread that holds the loader's lock may wait for this
 * one. */
static struct library *add_library(struct libraries *libraries, const struct library_kind *kind,
                                   const struct link_map *object, const void *entry) {
  int begun;
  if (!spin_lock_alone(SPIN_TABLE, &libraries->lock, &begun)) return NULL;
  struct library *known = known_library(libraries, object);
  spin_unlock_alone(&libraries->lock, begun);
  struct library *library = known ? NULL : new_place(libraries, kind);
  if (!library) return known;
  library->object = object;
  library->entry = entry;
  library->stays = !object || came_with_program(object);
  library->forget = kind->forget;
  library->handle = object ? open_object(object) : NULL;
  kind->ask(library);
  /* The handle is not kept open: when the application's last user of the library closes it, the
   * library must be unloaded, because it then writes the data that it still has in memory. */
  if (library->handle) dlclose(library->handle);
  library->handle = NULL;
  if (!spin_lock_alone(SPIN_TABLE, &libraries->lock, &begun)) return NULL;
  known = known_library(libraries, object);
  library->life = known ? LIBRARY_GONE : LIBRARY_LOADED;
  spin_unlock_alone(&libraries->lock, begun);
  return known ? known : library;
}

static struct library *library_at(struct libraries *libraries, const struct library_kind *kind,
                                  const void *entry) {
  const struct link_map *map = entry ? libc_object_of(entry) : NULL;
  if (!map || !map->l_name || !map->l_name[0]) return NULL;
  return add_library(libraries, kind, map, entry);
}

/* Returns the library that the object uses, which is found by the function kind->entry and added to
 * the list if it is new; NULL if there is none. Searches the program first only if the program is
 * the caller: other objects never use a library that is linked into the program. */
static struct library *search(struct libraries *libraries, const struct library_kind *kind,
                              const struct link_map *object) {
  int program = !object || !object->l_name || !object->l_name[0];
  void *inside = program ? linked_function(kind->entry) : NULL;
  if (inside) return add_library(libraries, kind, NULL, inside);
  if (!loader_is_there()) return NULL;
  void *entry = entry_below(object, kind->entry);
  if (!entry) entry = entry_anywhere(kind->entry);
  return library_at(libraries, kind, entry);
}

struct search {
  struct libraries *libraries;
  const struct library_kind *kind;
  const struct link_map *object;
  struct library *found;
  int stays;
};

static void search_it(void *search_) {
  struct search *it = search_;
  it->found = search(it->libraries, it->kind, it->object);
  it->stays = it->found && it->found->stays && came_with_program(it->object);
}

/* Remembers that the call site at this address always calls this library, because neither the
 * calling object nor the library is ever unloaded. */
static void remember_site(struct libraries *libraries, const void *address,
                          struct library *library) {
  struct library_site *site = library_site(libraries, address);
  struct library *none = NULL;
  if (__atomic_compare_exchange_n(&site->library, &none, library, 0, __ATOMIC_RELEASE,
                                  __ATOMIC_RELAXED))
    __atomic_store_n(&site->address, address, __ATOMIC_RELEASE);
}

/* Finds the library of an object at its first call, and remembers it for as long as the loader's
 * count of unloads stays the same. unloads: that count now. Returns NULL if there is none. */
__attribute__((noinline)) static struct library *meet_caller(struct libraries *libraries,
                                                             const struct library_kind *kind,
                                                             const struct loaded_object *caller,
                                                             uint64_t unloads) {
  int saved = errno;
  struct search it = {libraries, kind, caller->map, NULL, 0};
  stack_run_anyway(search_it, &it);
  struct library *library = it.found;
  errno = saved;
  const void *start = caller->start;
  uint32_t at = (uint32_t)((uintptr_t)start >> 12) % LIBRARY_CALLERS;
  for (uint32_t i = 0; library && start && i < 8; i++) {
    struct library_caller *place = &libraries->callers[(at + i) % LIBRARY_CALLERS];
    if (place->object && place->object != start && place->unloads == unloads) continue;
    place->library = library;
    place->end = caller->end;
    place->stays = it.stays;
    __atomic_store_n(&place->unloads, unloads, __ATOMIC_RELEASE);
    __atomic_store_n(&place->object, start, __ATOMIC_RELEASE);
    break;
  }
  return library;
}

/* Returns 1 if the library is still loaded, 0 if it was unloaded. The application may have
 * called dlclose without the wrapper (by a pointer that dlsym found in libc); this check keeps
 * the runtime from calling a function that is not mapped any more. */
static int still_there(const struct library *library) {
  struct loaded_object found;
  if (!library->object) return 1;
  return loader_object_of(library->entry, &found) == 0 && found.map == library->object;
}

struct library *library_of_slow(struct libraries *libraries, const struct library_kind *kind,
                                const void *caller) {
  uint64_t unloads = __atomic_load_n(&libraries->unloads, __ATOMIC_ACQUIRE);
  struct loaded_object found;
  if (loader_object_of(caller, &found) != 0)
    return meet_caller(libraries, kind, &(struct loaded_object){.start = NULL}, unloads);
  const void *start = found.start;
  uint32_t at = (uint32_t)((uintptr_t)start >> 12) % LIBRARY_CALLERS;
  for (uint32_t i = 0; i < 8; i++) {
    struct library_caller *known = &libraries->callers[(at + i) % LIBRARY_CALLERS];
    if (__atomic_load_n(&known->object, __ATOMIC_ACQUIRE) != start) continue;
    if (__atomic_load_n(&known->unloads, __ATOMIC_ACQUIRE) != unloads || known->end != found.end)
      break;
    struct library *library = known->library;
    if (known->stays) remember_site(libraries, caller, library);
    if (LIKELY(known->stays || still_there(library))) return library;
    library_closed();
    break;
  }
  return meet_caller(libraries, kind, &found,
                     __atomic_load_n(&libraries->unloads, __ATOMIC_ACQUIRE));
}

static int count_unloads(struct dl_phdr_info *info, size_t size, void *unloads) {
  (void)size;
  *(uint64_t *)unloads = info->dlpi_subs;
  return 1;
}

/* Marks unloaded libraries as gone and makes their modules forget them: another library may be
 * loaded at the same address later, and use the same ids. unloads: the number of unloads so far; if
 * it is unchanged, nothing is to be done. */
static void forget_unloaded(struct libraries *libraries, uint64_t unloads) {
  if (!libraries->count || libraries->unloads == unloads) return;
  for (struct library *library = libraries->first; library; library = library->next) {
    if (library->life != LIBRARY_LOADED || still_there(library)) continue;
    library->forget(library);
    library->life = LIBRARY_GONE;
  }
  __atomic_store_n(&libraries->unloads, unloads, __ATOMIC_RELEASE);
}

static void forget_all_unloaded(void *nothing) {
  uint64_t unloads = 0;
  (void)nothing;
  dl_iterate_phdr(count_unloads, &unloads);
  for (int i = 0; i < KINDS && kinds[i]; i++)
    forget_unloaded(kinds[i], unloads);
}

void library_closed(void) {
  int saved = errno;
  if (!__atomic_load_n(&kinds[0], __ATOMIC_ACQUIRE)) return;
  stack_run_anyway(forget_all_unloaded, NULL);
  errno = saved;
}

struct question {
  const struct library *library;
  const char *name;
  void *found;
};

static void answer(void *question_) {
  struct question *question = question_;
  const struct library *library = question->library;
  void *handle = library->handle ? library->handle : open_object(library->object);
  if (!handle) return;
  question->found = loader_symbol(handle, question->name);
  if (handle != library->handle) dlclose(handle);
}

void *library_ask(const struct library *library, const char *name) {
  struct question question = {library, name, NULL};
  if (!library->object) return linked_function(name);
  stack_run_anyway(answer, &question);
  return question.found;
}

void *library_function_slow(const struct library *library, void **slot, const char *name) {
  void *function = NULL;
  if (library) {
    int saved = errno;
    function = library_ask(library, name);
    errno = saved;
    if (function) __atomic_store_n(slot, function, __ATOMIC_RELEASE);
  }
  if (!function) real_resolve(&function, name);
  return function;
}
