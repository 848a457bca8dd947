/* Finds the stack pointer in a jmp_buf, which musl stores unchanged. */
#ifndef DARSHAN_LIBC_JUMP_H
#define DARSHAN_LIBC_JUMP_H

#include <setjmp.h>
#include <stdint.h>

#if defined(__x86_64__)
enum { JUMP_STACK_POINTER = 6 };
#elif defined(__aarch64__)
enum { JUMP_STACK_POINTER = 13 };
#endif

static inline uintptr_t jump_word(const struct __jmp_buf_tag *env) {
  return (uintptr_t)env->__jb[JUMP_STACK_POINTER];
}

#endif
