/* Makes a wrapper of each row of a calls.def.
 *
 *   CALL(name, return type, (parameters), (arguments), find, event)
 *     find:  looks up what is needed before the call; may leave by FORWARD
 *     event: what to do with the result r and the ticks t1, t2 around the call
 *   NOTE(name, return type, (parameters), (arguments), before, after)
 *     the same without reading the clock
 *   VOID_CALL: a CALL that returns nothing
 *   FORMAT_CALL(name, v-form, (parameters), (arguments), last parameter, find, event)
 *     a function with "..." after its format: called by its v-form
 *   VOID_FORMAT_CALL: a FORMAT_CALL that returns nothing
 *   HAND_CALL(name): written by hand, in the file that the row's comment names
 *
 * A calls.def is included three times: for the slots of the real functions (declare-slots.h), for
 * the wrappers (here), and by the coverage test. A wrapper has its own name in C and gets the
 * symbol by an assembler label, so that libc's prototypes, macros and built-ins of that name do not
 * interfere. */
#ifndef DARSHAN_WRAP_H
#define DARSHAN_WRAP_H

#include "guard.h"
#include "real.h"

#define FORWARD goto forward
#define UNUSED __attribute__((unused))

/* Code that a module runs immediately before and after the real call; empty unless the module
 * defines it. */
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

/* Like FORMAT_CALL, for functions that return nothing, or do not return. */
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
