/* Stacks of the runtime ("areas"), and the switch to and from them. */
#include "stack.h"

#include <sys/mman.h>

#include <time.h>

#include "floats.h"
#include "signals/signals.h"
#include "spin.h"
#include "sys/sys.h"
#include "valgrind.h"

enum {
#if defined(__aarch64__)
  PAGE = 64 << 10, /* the kernel's largest possible page size */
#else
  PAGE = 4096,
#endif
  AREAS = 32
};
/* Number and length of the sleeps of a thread that waits for an area: ten seconds in total, as for
 * a lock (spin.c), because the area's thread may be waiting for a slow file system. */
enum { NAPS = 50000, NAP_NS = 200000 };

void stack_switch(void (*function)(void *), void *argument, char *top, char **left)
    __attribute__((visibility("hidden")));

/* An area is a guard page followed by a stack. The first area is part of the library, so that it
 * exists when memory runs out. Its guard page is unused but not protected, because garbage
 * collectors and leak checkers read all variables of a library. The other areas are for threads
 * that need a stack at the same time; they are unmapped after use. */
SELDOM static struct {
  char guard[PAGE], bytes[STACK_BYTES];
} first_area __attribute__((aligned(PAGE)));
enum { AREA_BYTES = sizeof(first_area) };

static struct area {
  int taken;     /* token of the thread that uses the area; 0: free */
  char *memory;  /* AREA_BYTES long, or NULL */
  char *home;    /* the stack pointer of that thread before it switched */
  uint64_t mask; /* the signal mask of that thread */
  struct floats floats;
  int shut;           /* 1: the gate was shut during stack_run_at_home */
  int known;          /* 1: the memory is registered with valgrind */
  uintptr_t valgrind; /* valgrind's number of the stack */
} areas[AREAS] = {{.memory = (char *)&first_area}};

static struct area *area_of(const char *frame) {
  for (int i = 0; i < AREAS; i++) {
    const char *memory = __atomic_load_n(&areas[i].memory, __ATOMIC_RELAXED);
    if (memory && frame >= memory && frame < memory + AREA_BYTES) return &areas[i];
  }
  return NULL;
}

/* Registers the area's stack with valgrind, once, and returns the area. The area's thread calls
 * this before it switches. Not inlined, like give_area: the request to valgrind is an array, which
 * would enlarge the frame of stack_run on the application's stack. */
static __attribute__((noinline)) struct area *known(struct area *area) {
  if (!area->known)
    area->valgrind = valgrind_stack_is(area->memory + PAGE, area->memory + AREA_BYTES);
  area->known = 1;
  return area;
}

static char *new_memory(void) {
  char *memory = sys_mmap(NULL, AREA_BYTES, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (sys_failed(memory)) return NULL;
  SYS3(SYS_mprotect, memory, PAGE, PROT_NONE);
  return memory;
}

static int take(struct area *area, int from) {
  return __atomic_compare_exchange_n(&area->taken, &from, spin_token(), 0, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED);
}

static struct area *take_free(void) {
  for (int i = 0; i < AREAS; i++) {
    if (__atomic_load_n(&areas[i].taken, __ATOMIC_RELAXED) || !take(&areas[i], 0)) continue;
    if (areas[i].memory) return &areas[i];
    char *memory = new_memory();
    __atomic_store_n(&areas[i].memory, memory, __ATOMIC_RELAXED);
    if (memory) return &areas[i];
    __atomic_store_n(&areas[i].taken, 0, __ATOMIC_RELEASE);
    break;
  }
  return NULL;
}

/* Waits until an area is free, if all areas are taken or memory is exhausted, and returns it. The
 * first area always exists and becomes free. Returns NULL after about ten seconds. Returns NULL
 * immediately if this thread itself uses the first area, in a library call that a handler has
 * interrupted. */
static struct area *wait_for_area(void) {
  static const struct timespec nap = {0, NAP_NS};
  for (int i = 0; i < NAPS; i++) {
    int owner = __atomic_load_n(&areas[0].taken, __ATOMIC_RELAXED);
    if (owner == spin_token()) return NULL;
    if (SYS2(SYS_nanosleep, &nap, NULL) < 0) SYS1(SYS_sched_yield, 0);
    if (owner && spin_is_gone(owner) && take(&areas[0], owner)) return &areas[0];
    struct area *area = take_free();
    if (area) return area;
  }
  return NULL;
}

static struct area *take_area(void) {
  struct area *area = take_free();
  if (!area) area = wait_for_area();
  return area ? known(area) : NULL;
}

static __attribute__((noinline)) void give_area(struct area *area) {
  char *memory = area->memory;
  if (memory && area != &areas[0]) {
    __atomic_store_n(&area->memory, NULL, __ATOMIC_RELAXED);
    if (area->known) valgrind_stack_was(area->valgrind);
    area->known = 0;
    sys_munmap(memory, AREA_BYTES);
  }
  __atomic_store_n(&area->taken, 0, __ATOMIC_RELEASE);
}

static int set_signals(int how, const uint64_t *mask, uint64_t *before) {
  return SYS4(SYS_rt_sigprocmask, how, mask, before, sizeof(*mask)) < 0 ? -1 : 0;
}

static __attribute__((noinline)) void run_here(void (*function)(void *argument), void *argument) {
  struct floats floats;
  floats_take(&floats);
  function(argument);
  floats_give(&floats);
}

int stack_run_with_room(void (*function)(void *argument), void *argument, int has_room) {
  if (!has_room) return stack_run(function, argument);
  function(argument);
  return 0;
}

int stack_run(void (*function)(void *argument), void *argument) {
  uint64_t all = signals_that_wait(), mask;
  /* Stays on this stack if it is an area already, or if an inherited filter (sys-gate.h) forbids
   * blocking signals. */
  if (area_of(__builtin_frame_address(0)) ||
      (!sys_may(SYS_rt_sigprocmask) && !sys_gate_is_shut())) {
    run_here(function, argument);
    return 0;
  }
  /* Signals are blocked first, so that no thread is interrupted while it has an area. Signals that
   * the application has blocked stay blocked. */
  if (!sys_gate_begin()) return -1;
  int blocked = set_signals(SIG_BLOCK, &all, &mask) == 0, shut = 0;
  struct area *area = blocked ? take_area() : NULL;
  if (area) {
    area->mask = mask;
    area->shut = 0;
    floats_take(&area->floats);
    stack_switch(function, argument, area->memory + AREA_BYTES, &area->home);
    floats_give(&area->floats);
    mask = area->mask;
    shut = area->shut;
    give_area(area);
  }
  if (blocked) set_signals(SIG_SETMASK, &mask, NULL);
  if (!shut) sys_gate_end();
  return area ? 0 : -1;
}

void stack_run_anyway(void (*function)(void *argument), void *argument) {
  if (stack_run(function, argument) < 0) run_here(function, argument);
}

void stack_run_at_home(void (*function)(void *argument), void *argument) {
  struct area *area = area_of(__builtin_frame_address(0));
  uint64_t all = signals_that_wait();
  char *left;
  if (!area) {
    function(argument);
    return;
  }
  set_signals(SIG_SETMASK, &area->mask, NULL);
  if (!area->shut) sys_gate_end();
  stack_switch(function, argument, (char *)((uintptr_t)area->home & ~(uintptr_t)15), &left);
  area->shut = !sys_gate_begin();
  set_signals(SIG_BLOCK, &all, &area->mask);
}

const char *stack_frame(const char *frame) {
  const struct area *area = area_of(frame);
  return area ? area->home : frame;
}

int stack_is_alternate(const char *frame) {
  stack_t stack;
  if (SYS2(SYS_sigaltstack, NULL, &stack) < 0 || (stack.ss_flags & SS_ONSTACK)) return 1;
  frame = stack_frame(frame);
  const char *start = stack.ss_sp;
  return !(stack.ss_flags & SS_DISABLE) && frame >= start && frame < start + stack.ss_size;
}

void stack_forked(void) {
  const struct area *mine = area_of(__builtin_frame_address(0));
  for (int i = 0; i < AREAS; i++)
    if (&areas[i] != mine && areas[i].taken) give_area(&areas[i]);
}
