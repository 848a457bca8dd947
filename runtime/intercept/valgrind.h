/* Requests to valgrind. If valgrind does not know that there are two stacks, it mistakes a jump of
 * the stack pointer for the begin or end of a large frame, and treats all memory in between as part
 * of one stack. A request is a sequence of instructions without effect (rotations by a whole turn
 * in total), so without valgrind it costs some nanoseconds, once per area. */
#ifndef DARSHAN_VALGRIND_H
#define DARSHAN_VALGRIND_H

#include <stdint.h>

enum {
  VALGRIND_IS_THERE = 0x1001,
  VALGRIND_CALL = 0x1102,
  VALGRIND_STACK_IS = 0x1501,
  VALGRIND_STACK_WAS = 0x1502
};

/* Makes the request `what` with two arguments. Returns valgrind's answer, or 0 if valgrind does not
 * run this process. */
static inline uintptr_t valgrind_ask(uintptr_t what, uintptr_t first, uintptr_t second) {
  volatile uintptr_t request[6] = {what, first, second, 0, 0, 0};
  uintptr_t answer = 0;
#if defined(__x86_64__)
  __asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, %%rdi\n\t"
                   "xchgq %%rbx, %%rbx"
                   : "+d"(answer)
                   : "a"(request)
                   : "cc", "memory");
#elif defined(__aarch64__)
  register uintptr_t result __asm__("x3") = 0;
  register volatile uintptr_t *asked __asm__("x4") = request;
  __asm__ volatile("ror x12, x12, #3\n\tror x12, x12, #13\n\t"
                   "ror x12, x12, #51\n\tror x12, x12, #61\n\t"
                   "orr x10, x10, x10"
                   : "+r"(result)
                   : "r"(asked)
                   : "cc", "memory");
  answer = result;
#endif
  return answer;
}

/* Returns 1 if valgrind emulates this process, otherwise 0. */
static inline int valgrind_is_there(void) {
  return valgrind_ask(VALGRIND_IS_THERE, 0, 0) != 0;
}

/* Makes valgrind call a function without emulating it, and returns the function's result. The
 * function runs on a stack of valgrind, without this thread's storage (errno, the stack protector):
 * it may only make system calls by sys_call_now. Its first argument is a thread number of
 * valgrind. */
static inline uintptr_t valgrind_call(uintptr_t (*function)(uintptr_t, void *), void *argument) {
  return valgrind_ask(VALGRIND_CALL, (uintptr_t)function, (uintptr_t)argument);
}

/* Registers the memory from start to end as a stack. Returns its number for valgrind_stack_was. */
static inline uintptr_t valgrind_stack_is(const char *start, const char *end) {
  return valgrind_ask(VALGRIND_STACK_IS, (uintptr_t)start, (uintptr_t)end);
}

static inline void valgrind_stack_was(uintptr_t number) {
  valgrind_ask(VALGRIND_STACK_WAS, number, 0);
}

#endif
