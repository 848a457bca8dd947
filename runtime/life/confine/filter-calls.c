/* Looks up the real functions of the wrappers of POSIX and stdio calls before a filter is
 * installed: behind the filter the loader may be unable to take a lock or allocate memory. */
#include "../../intercept/real.h"
#include "../../intercept/stack.h"
#include "confine.h"

#include <stddef.h>

#define SLOT(name) extern void *real_##name __attribute__((visibility("hidden")));
#define CALL(name, type, params, args, find, event) SLOT(name)
#define NOTE(name, type, params, args, before, after) SLOT(name)
#define VOID_CALL(name, params, args, find, event) SLOT(name)
#define FORMAT_CALL(name, vname, params, args, last, find, event)
#define VOID_FORMAT_CALL(name, vname, params, args, last, find, event)
#define HAND_CALL(name)
#include "../../modules/posix/calls.def"
#include "../../modules/stdio/calls.def"
#undef SLOT

static void find_functions(void *nothing) {
  (void)nothing;
#define SLOT(name)                                                                                 \
  if (!__atomic_load_n(&real_##name, __ATOMIC_RELAXED)) real_prepare(&real_##name, #name);
#include "../../modules/posix/calls.def"
#include "../../modules/stdio/calls.def"
}

void filter_find_functions(void) {
  stack_run_anyway(find_functions, NULL);
}
