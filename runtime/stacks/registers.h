/* Registers of a frame, by the numbers that unwind tables use. */
#ifndef DARSHAN_REGISTERS_H
#define DARSHAN_REGISTERS_H

#include <stdint.h>

#if defined(__x86_64__)
enum { REGISTERS = 17, REGISTER_STACK = 7, REGISTER_RETURN = 16 };
#elif defined(__aarch64__)
enum { REGISTERS = 33, REGISTER_STACK = 31, REGISTER_RETURN = 30 };
#endif

/* Registers of a frame. pc: the code address at which it continues. known: bit i is set if value[i]
 * is known. */
struct registers {
  uintptr_t pc;
  uint64_t known;
  uintptr_t value[REGISTERS];
};

/* Stored values of the registers that functions preserve, of the stack pointer and of the address
 * of the running code. They are sufficient for a walk that begins in the function that stored them,
 * while it runs. */
#if defined(__x86_64__)
enum { REGISTERS_KEPT = 7 };
#elif defined(__aarch64__)
enum { REGISTERS_KEPT = 13 };
#endif
struct registers_kept {
  uintptr_t pc, value[REGISTERS_KEPT];
};

#define REGISTERS_TAKE inline __attribute__((always_inline))
#if defined(__x86_64__)
static REGISTERS_TAKE void registers_take(struct registers_kept *kept) {
  uintptr_t *value = kept->value;
  __asm__ volatile("leaq 0(%%rip), %%rax\n\t"
                   "movq %%rax, %0\n\t"
                   "movq %%rbx, %1\n\t"
                   "movq %%rbp, %2\n\t"
                   "movq %%rsp, %3\n\t"
                   "movq %%r12, %4\n\t"
                   "movq %%r13, %5\n\t"
                   "movq %%r14, %6\n\t"
                   "movq %%r15, %7"
                   : "=m"(kept->pc), "=m"(value[0]), "=m"(value[1]), "=m"(value[2]), "=m"(value[3]),
                     "=m"(value[4]), "=m"(value[5]), "=m"(value[6])
                   :
                   : "rax");
}
#elif defined(__aarch64__)
static REGISTERS_TAKE void registers_take(struct registers_kept *kept) {
  __asm__ volatile("adr x9, .\n\t"
                   "str x9, [%0]\n\t"
                   "stp x19, x20, [%1]\n\t"
                   "stp x21, x22, [%1, 16]\n\t"
                   "stp x23, x24, [%1, 32]\n\t"
                   "stp x25, x26, [%1, 48]\n\t"
                   "stp x27, x28, [%1, 64]\n\t"
                   "stp x29, x30, [%1, 80]\n\t"
                   "mov x9, sp\n\t"
                   "str x9, [%1, 96]"
                   :
                   : "r"(&kept->pc), "r"(kept->value)
                   : "x9", "memory");
}
#endif

/* Converts the registers that registers_take stored to struct registers. */
static inline void registers_from(struct registers *registers, const struct registers_kept *kept) {
#if defined(__x86_64__)
  static const unsigned char number[REGISTERS_KEPT] = {3, 6, 7, 12, 13, 14, 15};
#elif defined(__aarch64__)
  static const unsigned char number[REGISTERS_KEPT] = {19, 20, 21, 22, 23, 24, 25,
                                                       26, 27, 28, 29, 30, 31};
#endif
  registers->pc = kept->pc;
  registers->known = 0;
  for (int i = 0; i < REGISTERS_KEPT; i++) {
    registers->value[number[i]] = kept->value[i];
    registers->known |= (uint64_t)1 << number[i];
  }
}

static inline int register_known(const struct registers *registers, uint64_t number) {
  return number < REGISTERS && (registers->known >> number & 1);
}
static inline void register_set(struct registers *registers, uint64_t number, uintptr_t value) {
  registers->value[number] = value;
  registers->known |= (uint64_t)1 << number;
}

/* Returns a return address without its signature (pointer authentication). */
static inline uintptr_t return_address_bare(uintptr_t address) {
#if defined(__aarch64__)
  register uintptr_t x30 __asm__("x30") = address;
  __asm__("hint 7" : "+r"(x30)); /* xpaclri; has no effect on processors without signatures */
  return x30;
#else
  return address;
#endif
}

/* Readable memory: the part of a stack that is in use. */
struct span {
  uintptr_t start, end;
};
static inline int span_word(const struct span *span, uintptr_t address, uintptr_t *word) {
  if (address % sizeof(*word) != 0 || address < span->start || address >= span->end ||
      span->end - address < sizeof(*word))
    return -1;
  *word = *(const uintptr_t *)address;
  return 0;
}

/* Finds the mapping that contains the address. *is_main: set to 1 if it is the stack of the first
 * thread, on which the kernel stores the arguments of the program, otherwise to 0. Returns 0, or -1
 * if /proc is not available or the address is not mapped for reading. Needs nine kilobytes of
 * stack. */
int stack_span(uintptr_t address, struct span *span, int *is_main);

#endif
