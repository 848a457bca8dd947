/* The real functions behind the wrappers.  Each has a slot; all are filled when
 * the library starts, and one by one for calls that come before that. */
#ifndef DARSHAN_REAL_H
#define DARSHAN_REAL_H

#include "guard.h"

struct real_slot {
  void **slot;
  const char *name;
};

extern const struct real_slot posix_slots[] __attribute__((visibility("hidden")));
extern const struct real_slot stdio_slots[] __attribute__((visibility("hidden")));

/* Fills one slot; a function that no library has gets one that fails with
 * ENOSYS.  Never NULL. */
void real_resolve(void **slot, const char *name) __attribute__((visibility("hidden")));

/* Fills the slots of a list, ended by a NULL slot, that libc has. */
void real_resolve_all(const struct real_slot *slots) __attribute__((visibility("hidden")));

#define REAL(name)                                                                                 \
  (*({                                                                                             \
    if (UNLIKELY(!real_##name)) real_resolve((void **)&real_##name, #name);                        \
    &real_##name;                                                                                  \
  }))

#endif
