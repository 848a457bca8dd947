/* The floating-point state of a thread belongs to the program: its flags tell it what its own
 * arithmetic met, and some programs make a fault of what they tell.  So times are computed
 * with the state that a program begins with, and then it gets its own back. */
#ifndef DARSHAN_FLOATS_H
#define DARSHAN_FLOATS_H

#include <stdint.h>

#include "guard.h"

struct floats {
  uint32_t control, flags;
};

#if defined(__x86_64__)
/* Both are one register, which goes to memory and comes from there alone: straight to where
 * it stays, so that no caller's frame grows. */
enum { FLOATS_FLAGS = 0x3f, FLOATS_AT_START = 0x1f80 }; /* nothing traps */
static inline void floats_take(struct floats *was) {
  static const uint32_t at_start = FLOATS_AT_START;
  __asm__ volatile("stmxcsr %0" : "=m"(was->control)::"memory");
  if (UNLIKELY((was->control & ~(uint32_t)FLOATS_FLAGS) != FLOATS_AT_START))
    __asm__ volatile("ldmxcsr %0" ::"m"(at_start) : "memory");
}
static inline void floats_give(struct floats *was) {
  __asm__ volatile("stmxcsr %0" : "=m"(was->flags)::"memory");
  if (UNLIKELY(was->flags != was->control))
    __asm__ volatile("ldmxcsr %0" ::"m"(was->control) : "memory");
}
#elif defined(__aarch64__)
enum { FLOATS_AT_START = 0 };
static inline void floats_take(struct floats *was) {
  uint64_t control, flags;
  __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(control), "=r"(flags)::"memory");
  if (UNLIKELY(control != FLOATS_AT_START))
    __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)FLOATS_AT_START) : "memory");
  was->control = (uint32_t)control;
  was->flags = (uint32_t)flags;
}
static inline void floats_give(struct floats *was) {
  uint64_t flags;
  __asm__ volatile("mrs %0, fpsr" : "=r"(flags)::"memory");
  if (flags != was->flags) __asm__ volatile("msr fpsr, %0" ::"r"((uint64_t)was->flags) : "memory");
  if (UNLIKELY(was->control != FLOATS_AT_START))
    __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)was->control) : "memory");
}
#else
#error "what holds the floating-point state of this processor?"
#endif

/* The program's, while this thread updates (GUARD_BUSY). */
extern __thread struct floats darshan_floats GUARD_TLS;

#endif
