/* Finds the functions of Python's C API (python-api.h). */
#include "python-api.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>

#include "../../intercept/loader/loader.h"
#include "../../intercept/stack.h"
#include "../../stacks/python/python-frames.h"

struct python_api python_api;

static const char *const names[] = {
#define PYTHON_FUNCTION(name, result, parameters) #name,
#define PYTHON_VARIABLE(name) #name,
#include "python-api.def"
#undef PYTHON_FUNCTION
#undef PYTHON_VARIABLE
};
enum { NAMES = sizeof(names) / sizeof(names[0]) };
static_assert(sizeof(struct python_api) == NAMES * sizeof(void *), "one pointer per row");

/* Returns true if the frames of the interpreter that contains this function can be read
 * (python-frames.h). */
static bool is_known(const void *function) {
  struct loaded_object object;
  if (loader_object_of(function, &object) < 0) return false;
  python_look_at(object.map);
  return python_is_here();
}

/* Fills in python_api with the functions of Python, unless one is missing. Fills the first member
 * last, because python_api_find checks it. Runs on a stack of the runtime. */
static void find(void *nothing) {
  void *found[NAMES];
  void **members = (void **)&python_api;
  (void)nothing;
  for (size_t i = 0; i < NAMES; i++)
    if (!(found[i] = loader_symbol(RTLD_DEFAULT, names[i]))) return;
  if (!is_known(found[0])) return;
  for (size_t i = NAMES; i-- > 0;)
    __atomic_store_n(&members[i], found[i], __ATOMIC_RELEASE);
}

bool python_api_find(void) {
  void **first = (void **)&python_api;
  if (__atomic_load_n(first, __ATOMIC_ACQUIRE)) return true;
  if (!loader_is_there()) return false;
  int saved = errno;
  stack_run(find, NULL);
  errno = saved;
  return __atomic_load_n(first, __ATOMIC_ACQUIRE) != NULL;
}
