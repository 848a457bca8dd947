#include "real.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

static long missing(void) {
  errno = ENOSYS;
  return -1;
}

/* dlsym tells its caller by the return address, so its call must not become a
 * tail jump: the result goes through a volatile. */
static void *next_symbol(const char *name) {
  void *volatile found = dlsym(RTLD_NEXT, name);
  return found;
}

void real_resolve(void **slot, const char *name) {
  int saved = errno;
  void *found = next_symbol(name);
  errno = saved;
  if (!found) found = (void *)&missing;
  __atomic_store_n(slot, found, __ATOMIC_RELEASE);
}

/* What libc lacks may come with a library that is loaded later (libaio,
 * liburing): such slots stay empty until their first call. */
void real_resolve_all(const struct real_slot *slots) {
  int saved = errno;
  for (; slots->slot; slots++)
    if (!*slots->slot) {
      void *found = next_symbol(slots->name);
      if (found) __atomic_store_n(slots->slot, found, __ATOMIC_RELEASE);
    }
  errno = saved;
}
