/* Wrappers of longjmp and its other names. They release what the runtime holds in frames that the
 * jump abandons. A jump out of a handler may abandon a frame of the runtime at any instruction.
 * Without the wrappers, other threads would wait for its lock, and this thread's events would look
 * like events of a handler. The target of a jump is in its jmp_buf, where a C library may combine
 * it with a secret key of the process. The runtime computes this key from a jmp_buf of its own. */
#include "life.h"

#include <libc-jump.h>
#include <signal.h>

#include "../intercept/spin.h"
#include "../intercept/wrap.h"
#include "../job/modules.h"
#include "../job/mpi-state.h"
#include "../job/runtime.h"

#if defined(__x86_64__)
#define READ_STACK_POINTER(sp) __asm__ volatile("mov %%rsp, %0" : "=r"(sp))
#elif defined(__aarch64__)
#define READ_STACK_POINTER(sp) __asm__ volatile("mov %0, sp" : "=r"(sp))
#endif

/* Returns the word with which libc mangles the stack pointer in a jmp_buf. Not inlined, so that
 * setjmp stores the stack pointer of this frame. */
__attribute__((noinline)) static uintptr_t key_of_this_process(void) {
  jmp_buf buffer;
  uintptr_t here;
  if (_setjmp(buffer) != 0) return 0;
  READ_STACK_POINTER(here);
  return jump_word(buffer) ^ here;
}

static int is_within(const stack_t *stack, const char *address) {
  const char *start = stack->ss_sp;
  return address >= start && address < start + stack->ss_size;
}

/* Returns 1 if a jump from frame `here` to the stack pointer `target` abandons `frame`, otherwise
 * 0. A handler may also jump within itself. If it runs on an alternate stack, the bounds of that
 * stack decide. */
static int leaves(const char *frame, const char *target, const char *here) {
  stack_t stack = {.ss_flags = SS_DISABLE};
  SYS2(SYS_sigaltstack, NULL, &stack);
  if (stack.ss_flags & SS_ONSTACK) return !is_within(&stack, target) || is_within(&stack, frame);
  return here <= frame && frame < target;
}

struct jump {
  const char *target, *here;
};
static int is_left(const void *jump_, const char *frame) {
  const struct jump *jump = jump_;
  return leaves(frame, jump->target, jump->here);
}

void runtime_jumps(const char *target) {
  const char *here = __builtin_frame_address(0);
  if ((darshan_guard & GUARD_BUSY) && leaves(guard_frame(), target, here)) {
    spin_release_left();
    runtime_let_go();
  }
  const char *life = darshan_inside.mpi[MPI_LEVEL_LIFE];
  if ((darshan_guard & GUARD_MUTED) && life && leaves(life, target, here))
    darshan_guard &= ~(uintptr_t)GUARD_MUTED;
  for (int level = 0; level < MPI_LEVELS; level++) {
    const char *frame = darshan_inside.mpi[level];
    if (frame && leaves(frame, target, here)) mpi_leave((enum mpi_level)level);
  }
  const char *stream = darshan_inside.stdio;
  if (stream && leaves(stream, target, here)) darshan_inside.stdio = NULL;
  modules_jumped(is_left, &(struct jump){target, here});
  darshan_guard &= ~(uintptr_t)GUARD_INSIDE;
  if (UNLIKELY(exec_state.phase_before) && exec_state.thread == darshan_spin.token &&
      exec_state.thread && leaves(exec_state.frame, target, here))
    runtime_exec_failed();
}

static void before_jump(const struct __jmp_buf_tag *env) {
  if (LIKELY(darshan_guard == 0 && !modules_are_inside() && !exec_state.phase_before &&
             !darshan_inside.mpi[MPI_LEVEL_LIFE] && !darshan_inside.mpi[MPI_LEVEL_IO] &&
             !darshan_inside.mpi[MPI_LEVEL_COMMUNICATION]))
    return;
  if (!darshan_hot.fd_limit && !exec_state.phase_before) return;
  if (darshan_guard & GUARD_VFORK) return;
  runtime_jumps((const char *)(jump_word(env) ^ key_of_this_process()));
}

#define JUMP(name)                                                                                 \
  EXPORT void wrap_##name(struct __jmp_buf_tag *env, int value) __asm__(SYMBOL(name));             \
  __attribute__((noreturn)) void wrap_##name(struct __jmp_buf_tag *env, int value) {               \
    static void *slot;                                                                             \
    before_jump(env);                                                                              \
    void *real = __atomic_load_n(&slot, __ATOMIC_RELAXED);                                         \
    if (UNLIKELY(!real)) real = real_resolve(&slot, #name);                                        \
    ((void (*)(struct __jmp_buf_tag *, int))real)(env, value);                                     \
    __builtin_unreachable();                                                                       \
  }
JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)
