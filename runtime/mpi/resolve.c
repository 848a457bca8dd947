/* Looks up MPI functions and objects in the objects of this process (library.h). */

#include <errno.h>
#include <string.h>

#include "../intercept/loader/linked.h"
#include "../intercept/loader/loader.h"
#include "../intercept/stack.h"
#include "library.h"

static int is_ours(const void *address) {
  Dl_info there, here;
  return dladdr(address, &there) && dladdr(&is_ours, &here) && there.dli_fbase == here.dli_fbase;
}

/* Returns the function of this name in an object or its dependencies, or NULL. Skips the main
 * program, because its scope begins with the runtime. The first object in which it finds a function
 * stays open as mpi_library.handle. */
static void *find_below(const struct link_map *object, const char *name) {
  void *found = NULL;
  if (!object || !object->l_name || !object->l_name[0]) return NULL;
  void *handle = loader_open(object->l_name, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) return NULL;
  found = dlsym(handle, name);
  if (found && is_ours(found)) found = NULL;
  if (found && !mpi_library.handle)
    mpi_library.handle = handle; /* never closed */
  else
    dlclose(handle);
  return found;
}

static void *find_below_caller(const void *caller, const char *name) {
  struct loaded_object found;
  if (!caller || loader_object_of(caller, &found) != 0) return NULL;
  return find_below(found.map, name);
}

static void *find_anywhere(const char *name) {
  void *self = loader_open(NULL, RTLD_LAZY | RTLD_NOLOAD);
  struct link_map *map = NULL;
  if (!self || dlinfo(self, RTLD_DI_LINKMAP, &map) != 0) return NULL;
  for (; map; map = map->l_next) {
    void *found = find_below(map, name);
    if (found) return found;
  }
  return NULL;
}

struct question {
  const char *name;
  const void *caller;
  void *found;
};

static void find_function(void *question_) {
  struct question *question = question_;
  const char *name = question->name;
  question->found = linked_function(name); /* the executable may contain the library */
  if (question->found || !loader_is_there()) return;
  /* volatile prevents a tail call, because dlsym determines its caller by the return address. */
  void *volatile found = dlsym(RTLD_NEXT, name);
  if (!found && mpi_library.handle) found = dlsym(mpi_library.handle, name);
  if (!found) found = find_below_caller(question->caller, name);
  if (!found) found = find_anywhere(name);
  question->found = found;
}

void *mpi_find_function(const char *name, const void *caller) {
  int saved = errno;
  struct question question = {name, caller, NULL};
  stack_run_anyway(find_function, &question);
  errno = saved;
  return question.found;
}

/* Finds a data object of MPI by its name. If an executable is linked with the library, copy
 * relocations put the library's objects into the executable. So the global scope is searched from
 * its beginning, unlike for functions. */
static void find_object(void *question_) {
  struct question *question = question_;
  if (!loader_is_there()) return;
  void *volatile found = dlsym(RTLD_DEFAULT, question->name);
  if (!found && mpi_library.handle) found = dlsym(mpi_library.handle, question->name);
  question->found = found;
}

void *mpi_find_object(const char *name) {
  int saved = errno;
  struct question question = {name, NULL, NULL};
  stack_run_anyway(find_object, &question);
  errno = saved;
  return question.found;
}

/* Called in place of a function that only the runtime defines, if an application has a strong
 * reference to it. Returns an error code that is not success in any library. */
static int missing(void) {
  enum { SOME_ERROR = 16 };
  return SOME_ERROR;
}

void *mpi_resolve(void **slot, const char *name, const void *caller) {
  void *found = mpi_find_function(name, caller);
  if (!found)
    return (void *)&missing; /* not stored in the slot, because a library may be loaded later */
  __atomic_store_n(slot, found, __ATOMIC_RELEASE);
  return found;
}
