/* From a row of a calls.def to a wrapper.
 *
 *   CALL(name, return type, (parameters), (arguments), find, event)
 *     find:  what has to be known before the call; may leave by FORWARD
 *     event: what is done with the result r and the ticks t1, t2 around the call
 *   NOTE(name, return type, (parameters), (arguments), before, after)
 *     the same without reading the clock
 *   VOID_CALL: a CALL that returns nothing
 *   FORMAT_CALL(name, v-form, (parameters), (arguments), last parameter, find, event)
 *     a function with "..." after its format: called through its v-form
 *   VOID_FORMAT_CALL: a FORMAT_CALL that returns nothing
 *   HAND_CALL(name): written by hand, where the comment of the row says
 *
 * A calls.def is included three times: for the slots of the real functions
 * (real.c), for the wrappers (here), and by the coverage test.  Wrappers have
 * names of their own in C and get the symbol by an assembler label, so libc's
 * prototypes, macros and built-ins of the same name do not get in the way. */
#ifndef DARSHAN_WRAP_H
#define DARSHAN_WRAP_H

#include "guard.h"
#include "real.h"

#define EXPORT __attribute__((visibility("default"), used))
#define FORWARD goto forward
#define UNUSED __attribute__((unused))

/* What a module does around the real call, besides reading the clock. */
#ifndef CALLING
#define CALLING ((void)0)
#define CALLED ((void)0)
#endif

#ifdef DARSHAN_LINK_TIME
#define SYMBOL(name) "__wrap_" #name
#else
#define SYMBOL(name) #name
#endif

#define CALL(name, type, params, args, find, event)                                                \
  EXPORT type wrap_##name params __asm__(SYMBOL(name));                                            \
  type wrap_##name params {                                                                        \
    find;                                                                                          \
    CALLING;                                                                                       \
    UNUSED uint64_t t1 = ticks_now();                                                              \
    type r = REAL(name) args;                                                                      \
    UNUSED uint64_t t2 = ticks_after(t1);                                                          \
    CALLED;                                                                                        \
    event;                                                                                         \
    return r;                                                                                      \
  forward:                                                                                         \
    UNUSED;                                                                                        \
    return REAL(name) args;                                                                        \
  }

#define NOTE(name, type, params, args, before, after)                                              \
  EXPORT type wrap_##name params __asm__(SYMBOL(name));                                            \
  type wrap_##name params {                                                                        \
    before;                                                                                        \
    type r = REAL(name) args;                                                                      \
    after;                                                                                         \
    return r;                                                                                      \
  forward:                                                                                         \
    UNUSED;                                                                                        \
    return REAL(name) args;                                                                        \
  }

/* Functions that return nothing. */
#define VOID_CALL(name, params, args, find, event)                                                 \
  EXPORT void wrap_##name params __asm__(SYMBOL(name));                                            \
  void wrap_##name params {                                                                        \
    find;                                                                                          \
    CALLING;                                                                                       \
    UNUSED uint64_t t1 = ticks_now();                                                              \
    REAL(name) args;                                                                               \
    UNUSED uint64_t t2 = ticks_after(t1);                                                          \
    CALLED;                                                                                        \
    event;                                                                                         \
    return;                                                                                        \
  forward:                                                                                         \
    UNUSED;                                                                                        \
    REAL(name) args;                                                                               \
  }

#define FORMAT_CALL(name, vname, params, args, last, find, event)                                  \
  EXPORT int wrap_##name params __asm__(SYMBOL(name));                                             \
  int wrap_##name params {                                                                         \
    va_list list;                                                                                  \
    int r;                                                                                         \
    va_start(list, last);                                                                          \
    find;                                                                                          \
    CALLING;                                                                                       \
    UNUSED uint64_t t1 = ticks_now();                                                              \
    r = REAL(vname) args;                                                                          \
    UNUSED uint64_t t2 = ticks_after(t1);                                                          \
    CALLED;                                                                                        \
    va_end(list);                                                                                  \
    event;                                                                                         \
    return r;                                                                                      \
  forward:                                                                                         \
    UNUSED;                                                                                        \
    r = REAL(vname) args;                                                                          \
    va_end(list);                                                                                  \
    return r;                                                                                      \
  }

/* The same of what returns nothing, or not at all. */
#define VOID_FORMAT_CALL(name, vname, params, args, last, find, event)                             \
  EXPORT void wrap_##name params __asm__(SYMBOL(name));                                            \
  void wrap_##name params {                                                                        \
    va_list list;                                                                                  \
    va_start(list, last);                                                                          \
    find;                                                                                          \
    CALLING;                                                                                       \
    UNUSED uint64_t t1 = ticks_now();                                                              \
    REAL(vname) args;                                                                              \
    UNUSED uint64_t t2 = ticks_after(t1);                                                          \
    CALLED;                                                                                        \
    va_end(list);                                                                                  \
    event;                                                                                         \
    return;                                                                                        \
  forward:                                                                                         \
    UNUSED;                                                                                        \
    REAL(vname) args;                                                                              \
    va_end(list);                                                                                  \
  }

#define HAND_CALL(name)
#define NOTHING ((void)0)

#endif
