/* Saves and restores the application's floating-point state around an update. The exception flags
 * report what the application's own arithmetic did, and some applications trap on them. The runtime
 * therefore computes times with the state that a program starts with.
 *
 * Sums of times can raise only the flag "inexact". Most programs have this flag raised and use the
 * initial control bits; for them the runtime changes nothing. On x86-64 the runtime gives other
 * programs a state in which the flag is raised, because reading the register takes 100 ns after a
 * flag was raised. */
#ifndef DARSHAN_FLOATS_H
#define DARSHAN_FLOATS_H

#include <stdint.h>

#include "guard.h"

#if defined(__x86_64__)
/* The floating-point state of this thread: flags and control bits of MXCSR. The instructions that
 * load and store MXCSR need a memory operand; they use this struct directly, so that no caller's
 * stack frame grows. */
struct floats {
  uint32_t both;
};
enum { FLOATS_FLAGS = 0x3f, FLOATS_INEXACT = 0x20, FLOATS_AT_START = 0x1f80 }; /* no traps */
static inline int floats_differ(const struct floats *was) {
  const uint32_t of_no_matter = FLOATS_FLAGS & ~FLOATS_INEXACT;
  return (was->both & ~of_no_matter) != (FLOATS_AT_START | FLOATS_INEXACT);
}
static inline void floats_take(struct floats *was) {
  static const uint32_t ours = FLOATS_AT_START | FLOATS_INEXACT;
  __asm__ volatile("stmxcsr %0" : "=m"(was->both)::"memory");
  if (UNLIKELY(floats_differ(was))) __asm__ volatile("ldmxcsr %0" ::"m"(ours) : "memory");
}
static inline void floats_give(const struct floats *was) {
  if (UNLIKELY(floats_differ(was))) __asm__ volatile("ldmxcsr %0" ::"m"(was->both) : "memory");
}
#elif defined(__aarch64__)
struct floats {
  uint32_t control, flags;
};
enum { FLOATS_INEXACT = 0x10, FLOATS_AT_START = 0 };
static inline void floats_take(struct floats *was) {
  uint64_t control, flags;
  __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(control), "=r"(flags)::"memory");
  if (UNLIKELY(control != FLOATS_AT_START))
    __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)FLOATS_AT_START) : "memory");
  was->control = (uint32_t)control;
  was->flags = (uint32_t)flags;
}
static inline void floats_give(const struct floats *was) {
  if (UNLIKELY(!(was->flags & FLOATS_INEXACT)))
    __asm__ volatile("msr fpsr, %0" ::"r"((uint64_t)was->flags) : "memory");
  if (UNLIKELY(was->control != FLOATS_AT_START))
    __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)was->control) : "memory");
}
#else
#error "what holds the floating-point state of this processor?"
#endif

/* The application's state, saved while this thread updates (GUARD_BUSY). */
extern __thread struct floats darshan_floats GUARD_TLS;

#endif
