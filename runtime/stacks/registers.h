/* Registers of a frame, by the numbers that unwind tables use. */
#ifndef DARSHAN_REGISTERS_H
#define DARSHAN_REGISTERS_H

#include <stdint.h>

#if defined(__x86_64__)
enum { REGISTERS = 17, REGISTER_STACK = 7, REGISTER_RETURN = 16 };
#elif defined(__aarch64__)
enum { REGISTERS = 33, REGISTER_STACK = 31, REGISTER_RETURN = 30 };
#endif

/* known: a bit for each register whose value is known. */
struct registers {
  uintptr_t pc;
  uint64_t known;
  uintptr_t value[REGISTERS];
};

/* Takes the registers that functions preserve, the stack pointer and the address of the running
 * code: enough to walk on from here, while the calling function runs. */
#define REGISTERS_TAKE inline __attribute__((always_inline))
#if defined(__x86_64__)
static REGISTERS_TAKE void registers_take(struct registers *registers) {
  uintptr_t *value = registers->value;
  __asm__ volatile("leaq 0(%%rip), %%rax\n\t"
                   "movq %%rax, %0\n\t"
                   "movq %%rbx, %1\n\t"
                   "movq %%rbp, %2\n\t"
                   "movq %%rsp, %3\n\t"
                   "movq %%r12, %4\n\t"
                   "movq %%r13, %5\n\t"
                   "movq %%r14, %6\n\t"
                   "movq %%r15, %7"
                   : "=m"(registers->pc), "=m"(value[3]), "=m"(value[6]), "=m"(value[7]),
                     "=m"(value[12]), "=m"(value[13]), "=m"(value[14]), "=m"(value[15])
                   :
                   : "rax");
  registers->known = 1 << 3 | 1 << 6 | 1 << 7 | 0xf << 12;
}
#elif defined(__aarch64__)
static REGISTERS_TAKE void registers_take(struct registers *registers) {
  uintptr_t *value = registers->value;
  __asm__ volatile("adr x9, .\n\t"
                   "str x9, [%0]\n\t"
                   "stp x19, x20, [%1, 19*8]\n\t"
                   "stp x21, x22, [%1, 21*8]\n\t"
                   "stp x23, x24, [%1, 23*8]\n\t"
                   "stp x25, x26, [%1, 25*8]\n\t"
                   "stp x27, x28, [%1, 27*8]\n\t"
                   "stp x29, x30, [%1, 29*8]\n\t"
                   "mov x9, sp\n\t"
                   "str x9, [%1, 31*8]"
                   :
                   : "r"(&registers->pc), "r"(value)
                   : "x9", "memory");
  registers->known = 0x1fffULL << 19;
}
#endif

static inline int register_known(const struct registers *registers, uint64_t number) {
  return number < REGISTERS && (registers->known >> number & 1);
}
static inline void register_set(struct registers *registers, uint64_t number, uintptr_t value) {
  registers->value[number] = value;
  registers->known |= (uint64_t)1 << number;
}

/* Removes a signature from a return address. */
static inline uintptr_t return_address_bare(uintptr_t address) {
#if defined(__aarch64__)
  register uintptr_t x30 __asm__("x30") = address;
  __asm__("hint 7" : "+r"(x30)); /* xpaclri: nothing on processors without signatures */
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

#endif
