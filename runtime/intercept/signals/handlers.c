/* Delays signals that interrupt an update, and saves the call nesting of an interrupted stack
 * (handlers.h). */
#include "handlers.h"

#include <stddef.h>
#include <ucontext.h>

#include "../guard.h"
#include "../spin.h"
#include "../sys/sys.h"
#include "signals.h"

__thread struct inside darshan_inside;
__thread uint64_t darshan_put_off;

/* The trampolines in handler-doors.S: DOORS of them, DOOR_BYTES long each. A trampoline jumps to
 * handler_met with its number. It leads to the same handler for the lifetime of the process: the
 * application may learn its address from the kernel and call it after another handler has been
 * installed. The second half is for handlers with SA_SIGINFO, because the kernel passes siginfo
 * only to these handlers. */
enum { DOORS = 256, DOORS_OF_A_KIND = DOORS / 2, DOOR_BYTES = 16 };
extern const char handler_doors[] __attribute__((visibility("hidden")));
typedef void action_function(int signal, siginfo_t *info, void *context);
SELDOM static action_function *behind[DOORS];

/* Bytes below the frame of an update that belong to the update. It uses 1.5 KiB of stack. If the
 * update interrupted another handler's trampoline while that delayed a signal, the saved registers
 * of the processor are on the stack, too. */
enum { UPDATE_STACK = 16 << 10 };

static const char *stack_pointer(const ucontext_t *context) {
#if defined(__x86_64__)
  return (const char *)context->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
  return (const char *)context->uc_mcontext.sp;
#endif
}

static int is_updating(const ucontext_t *context) {
  const char *pointer = stack_pointer(context), *frame = guard_frame();
  return (darshan_guard & GUARD_BUSY) && !(darshan_guard & GUARD_VFORK) &&
         pointer <= frame + GUARD_SAME_CALLER && frame - pointer < UPDATE_STACK;
}

/* Returns 1 if this signal must not be sent again: it is a real-time signal, and another signal of
 * its number is or may be pending. Otherwise returns 0. The kernel delivers real-time signals of
 * one number in the order in which they were sent. */
static int overtakes(int signal, uint64_t bit) {
  enum { FIRST_REAL_TIME = 32 };
  uint64_t pending = 0;
  if (signal < FIRST_REAL_TIME) return 0;
  return SYS2(SYS_rt_sigpending, &pending, sizeof(pending)) < 0 || (pending & bit);
}

static int send_again(int signal, siginfo_t *info) {
  long process = sys_getpid(), thread = SYS1(SYS_gettid, 0);
  if (!info) return sys_may(SYS_tgkill) ? (int)SYS3(SYS_tgkill, process, thread, signal) : -1;
  if (!sys_may(SYS_rt_tgsigqueueinfo)) return -1;
  return (int)SYS4(SYS_rt_tgsigqueueinfo, process, thread, signal, info);
}

/* Delays a signal until the end of the update: blocks it and sends it again to this thread.
 * Returns 1 if the kernel will deliver it after the update, 0 if the handler must run now. info
 * is NULL if the handler has no SA_SIGINFO. */
static int put_off(int signal, siginfo_t *info, ucontext_t *context) {
  uint64_t bit = UINT64_C(1) << (signal - 1), *mask = (uint64_t *)&context->uc_sigmask;
  if (!sys_gate_begin()) return 0;
  if (sys_may(SYS_rt_sigprocmask) && !overtakes(signal, bit) &&
      SYS4(SYS_rt_sigprocmask, SIG_BLOCK, &bit, NULL, sizeof(bit)) == 0 &&
      send_again(signal, info) == 0) {
    *mask |= bit;
    if (darshan_put_off) sys_gate_end(); /* one critical section is enough */
    darshan_put_off |= bit;
    return 1;
  }
  SYS4(SYS_rt_sigprocmask, SIG_UNBLOCK, &bit, NULL, sizeof(bit));
  sys_gate_end();
  return 0;
}

void handlers_let_in(void) {
  uint64_t mask = darshan_put_off;
  darshan_put_off = 0;
  COMPILER_FENCE();
  SYS4(SYS_rt_sigprocmask, SIG_UNBLOCK, &mask, NULL, sizeof(mask));
  sys_gate_end();
}

/* Stores the call nesting of the interrupted stack and clears it for the handler. Not inlined:
 * after the handler, another thread with its own thread-local storage may continue this stack. */
static __attribute__((noinline)) void keep(struct inside *kept) {
  enum { OF_THE_STACK = GUARD_INSIDE | GUARD_MUTED };
  *kept = darshan_inside;
  kept->flags = darshan_guard & OF_THE_STACK;
  darshan_inside = (struct inside){.layers = NULL};
  darshan_guard &= ~(uintptr_t)OF_THE_STACK;
}

static __attribute__((noinline)) void give_back(const struct inside *kept) {
  darshan_guard |= kept->flags;
  darshan_inside = *kept;
}

static int is_inside(void) {
  const struct inside *in = &darshan_inside;
  return (darshan_guard & (GUARD_INSIDE | GUARD_MUTED)) || in->mpi[0] || in->mpi[1] || in->mpi[2] ||
         in->daos[0] || in->daos[1] || in->pnetcdf || in->gds || in->stdio || in->layers;
}

static __attribute__((noinline)) void met_in_a_call(int signal, siginfo_t *info, void *context,
                                                    unsigned number) {
  action_function *handler = behind[number];
  struct inside kept;
  if (is_updating(context) && put_off(signal, number < DOORS_OF_A_KIND ? NULL : info, context))
    return;
  keep(&kept);
  handler(signal, info, context);
  give_back(&kept);
}

/* Called by the trampolines with their number: delays the signal, or jumps to the application's
 * handler behind this trampoline. It jumps so that the handler has the whole stack. */
void handler_met(int signal, siginfo_t *info, void *context, unsigned number)
    __attribute__((visibility("hidden")));
void handler_met(int signal, siginfo_t *info, void *context, unsigned number) {
  action_function *handler = __atomic_load_n(&behind[number], __ATOMIC_RELAXED);
  if (LIKELY(darshan_guard == 0 && !is_inside()))
    handler(signal, info, context);
  else
    met_in_a_call(signal, info, context, number);
}

static int door_number(const void *address) {
  size_t at = (size_t)((const char *)address - handler_doors);
  return at < (size_t)DOORS * DOOR_BYTES && at % DOOR_BYTES == 0 ? (int)(at / DOOR_BYTES) : -1;
}

static const void *door_of(action_function *handler, int with_info) {
  unsigned first = (unsigned)((uintptr_t)handler >> 4);
  for (unsigned i = 0; i < DOORS_OF_A_KIND; i++) {
    unsigned number = (first + i) % DOORS_OF_A_KIND + (with_info ? DOORS_OF_A_KIND : 0);
    action_function *found = NULL;
    if (__atomic_compare_exchange_n(&behind[number], &found, handler, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE) ||
        found == handler)
      return handler_doors + (size_t)number * DOOR_BYTES;
  }
  return NULL;
}

handler_function *handler_door(int signal, handler_function *handler, int with_info) {
  const uintptr_t largest_word = 2; /* SIG_DFL, SIG_IGN, SIG_HOLD; SIG_ERR is -1 */
  if ((uintptr_t)handler <= largest_word || handler == SIG_ERR || door_number(handler) >= 0)
    return handler;
  if (signal < 1 || signal > 64 || !(signals_that_wait() >> (signal - 1) & 1)) return handler;
  const void *door = door_of((action_function *)(uintptr_t)handler, with_info);
  return door ? (handler_function *)(uintptr_t)door : handler;
}

handler_function *handler_behind(handler_function *door) {
  int number = door_number((const void *)(uintptr_t)door);
  return number < 0 ? door : (handler_function *)(uintptr_t)behind[number];
}

const struct sigaction *handler_action(int signal, const struct sigaction *action,
                                       struct sigaction *ours) {
  /* Handlers with SA_RESETHAND get no trampoline: a delayed signal comes twice, and the first time
   * would uninstall the handler. */
  if (!action || (action->sa_flags & (int)SA_RESETHAND)) return action;
  handler_function *door =
      handler_door(signal, action->sa_handler, (action->sa_flags & SA_SIGINFO) != 0);
  if (door == action->sa_handler) return action;
  *ours = *action;
  ours->sa_handler = door;
  return ours;
}

void handler_reveal(int result, struct sigaction *old) {
  if (result == 0 && old) old->sa_handler = handler_behind(old->sa_handler);
}
