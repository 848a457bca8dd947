/* Finds the stack pointer in a jmp_buf. glibc combines it with a secret key of the process, and on
 * x86-64 also rotates it. */
#ifndef DARSHAN_LIBC_JUMP_H
#define DARSHAN_LIBC_JUMP_H

#include <setjmp.h>
#include <stdint.h>

#if defined(__x86_64__)
enum { JUMP_STACK_POINTER = 6, JUMP_TURNED = 17 };
#elif defined(__aarch64__)
enum { JUMP_STACK_POINTER = 13, JUMP_TURNED = 0 };
#endif

static inline uintptr_t jump_word(const struct __jmp_buf_tag *env) {
  uintptr_t word = (uintptr_t)env->__jmpbuf[JUMP_STACK_POINTER];
  return JUMP_TURNED ? word >> JUMP_TURNED | word << (64 - JUMP_TURNED) % 64 : word;
}

#endif
