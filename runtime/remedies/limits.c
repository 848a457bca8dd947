/* Stops the remedies that delay writes when the program limits the size of its files: the write
 * that reaches the limit must be the one that fails. libdarshan.so does not wrap the calls that set
 * limits, so they have wrappers here, which only forward. */
#include <sys/resource.h>
#include <sys/types.h>

#include "../intercept/real.h"
#include "remedies.h"
#include "streams/held-streams.h"

/* Undefines musl's macros of these names. */
#undef setrlimit64
#undef prlimit64

#define LIMITS(F) F(setrlimit) F(setrlimit64)
#define LIMITS_OF(F) F(prlimit) F(prlimit64)

#define SET(name)                                                                                  \
  static int (*real_##name)(int what, const void *limit);                                          \
  EXPORT int limits_##name(int what, const void *limit) __asm__(#name);                            \
  int limits_##name(int what, const void *limit) {                                                 \
    return REAL(name)(what, limit);                                                                \
  }                                                                                                \
  static int (*below_##name)(int what, const void *limit);                                         \
  static int instead_of_##name(int what, const void *limit) {                                      \
    stop(what, limit);                                                                             \
    return below_##name(what, limit);                                                              \
  }
#define SET_OF(name)                                                                               \
  static int (*real_##name)(pid_t process, int what, const void *limit, void *old);                \
  EXPORT int limits_##name(pid_t process, int what, const void *limit, void *old) __asm__(#name);  \
  int limits_##name(pid_t process, int what, const void *limit, void *old) {                       \
    return REAL(name)(process, what, limit, old);                                                  \
  }                                                                                                \
  static int (*below_##name)(pid_t process, int what, const void *limit, void *old);               \
  static int instead_of_##name(pid_t process, int what, const void *limit, void *old) {            \
    stop(what, limit);                                                                             \
    return below_##name(process, what, limit, old);                                                \
  }

/* Stops the remedies that delay writes if the call sets the limit of the size of files. what: the
 * resource (RLIMIT_FSIZE). limit: the new limit; NULL: the call only queries. */
static void stop(int what, const void *limit) {
  if (what != RLIMIT_FSIZE || !limit) return;
  held_streams_stop();
  join_writes_stop();
}

LIMITS(SET)
LIMITS_OF(SET_OF)

#define ROW(name) {#name, (void *)instead_of_##name, (void **)&below_##name},
const struct replacement limit_replacements[] = {LIMITS(ROW) LIMITS_OF(ROW){NULL, NULL, NULL}};
