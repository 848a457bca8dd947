/* Finds the site of the running stack: by the stacks that are known, else by a walk. */
#include <string.h>
#include <sys/uio.h>

#include "../../door/door.h"
#include "../../intercept/stack.h"
#include "../../intercept/sys.h"
#include "../../stacks/stack-span.h"
#include "sites-state.h"

/* Spreads a key over the heads. */
static inline unsigned head_of(uint64_t key) {
  return (unsigned)(key * 0x9e3779b97f4a7c15u >> 54) % SITE_HEADS;
}

/* The key of a stack: the innermost return address, and how deep the stack is. A stack whose end is
 * not known has its place within a page instead. */
static inline uint64_t key_of(uintptr_t returns, uintptr_t depth) {
  return (uint64_t)returns * 31 + depth;
}
enum { PAGE_MASK = 4095 };

/* Compares the return addresses. All of them lie in readable memory. */
static inline int is_same(const struct site_stack *stack, uintptr_t frame) {
  const struct site_slot *slot = stack->slot;
#pragma GCC unroll 4
  while (*(const uintptr_t *)(frame + slot->offset) == slot->address)
    slot++;
  return slot == stack->slot + stack->count; /* that one always differs */
}

/* Like is_same, of a stack whose end is not known: the kernel reads, and refuses where no memory
 * is. */
static __attribute__((noinline)) int is_same_there(const struct site_stack *stack,
                                                   uintptr_t frame) {
  enum { AT_ONCE = 8 };
  for (uint32_t i = 0; i < stack->count;) {
    uintptr_t words[AT_ONCE];
    struct iovec there[AT_ONCE], here = {words, 0};
    unsigned n = 0;
    for (; n < AT_ONCE && i + n < stack->count; n++)
      there[n] = (struct iovec){(void *)(frame + stack->slot[i + n].offset), sizeof(words[0])};
    here.iov_len = n * sizeof(words[0]);
    if (sys_call(SYS_process_vm_readv, sys_getpid(), (long)&here, 1, (long)there, n, 0) !=
        (long)here.iov_len)
      return 0;
    for (unsigned k = 0; k < n; k++)
      if (words[k] != stack->slot[i + k].address) return 0;
    i += n;
  }
  return 1;
}

static inline const struct site_stack *known_stack(uint64_t key, uintptr_t frame, uintptr_t end) {
  const struct site_stack *stack =
      __atomic_load_n(&sites_state.head[head_of(key)], __ATOMIC_ACQUIRE);
  for (; stack; stack = stack->next) {
    if (stack->key != key) continue;
    if (end ? stack->span <= end - frame && is_same(stack, frame) : is_same_there(stack, frame))
      return stack;
  }
  return NULL;
}

/* --- new stacks ---------------------------------------------------------------------------- */

struct new_stack {
  struct registers registers;
  uintptr_t frame, returns;
  struct site_part *part;
};

/* Finds the bounds of the running stack. Remembers them if it is this thread's own, which stays as
 * long as the thread: the main thread's, or the one that has the thread's variables at its end.
 * Returns whether it is. */
static int find_bounds(uintptr_t frame, struct span *span) {
  struct span *own = &site_thread.stack;
  int is_main;
  if (frame - own->start < own->end - own->start) {
    *span = *own;
    return 1;
  }
  *span = (struct span){0, 0};
  if (stack_span(frame, span, &is_main) < 0) return 0;
  uintptr_t variables = (uintptr_t)&site_thread;
  if (!is_main && !(variables > frame && variables < span->end)) return 0;
  if (!is_main) span->end = variables & ~(uintptr_t)(sizeof(uintptr_t) - 1);
  *own = *span;
  return 1;
}

/* Adds a stack to the table, unless the table is full or a return address is in a register. */
static void remember(const struct walk *walk, unsigned first, uint64_t key, uintptr_t frame,
                     struct site_part *part) {
  unsigned count = walk->count - first;
  if (count == 0) return;
  for (unsigned i = first; i < walk->count; i++)
    if (walk->frame[i].stored <= frame || walk->frame[i].stored - frame > UINT32_MAX / 2) return;
  if (__atomic_fetch_add(&sites_state.stacks, 1, __ATOMIC_RELAXED) >= SITE_STACKS) return;
  struct site_stack *stack =
      scratch_take(&darshan_scratch, sizeof(*stack) + (count + 1) * sizeof(struct site_slot));
  if (!stack) return;
  stack->key = key;
  stack->part = part;
  stack->count = count;
  for (unsigned i = 0; i < count; i++) {
    const struct walk_frame *from = &walk->frame[first + i];
    uintptr_t offset = from->stored - frame;
    stack->slot[i] = (struct site_slot){offset, *(const uintptr_t *)from->stored};
    if (offset + sizeof(uintptr_t) > stack->span)
      stack->span = (uint32_t)(offset + sizeof(uintptr_t));
  }
  stack->slot[count] = (struct site_slot){stack->slot[0].offset, ~stack->slot[0].address};
  struct site_stack **head = &sites_state.head[head_of(key)];
  stack->next = __atomic_load_n(head, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(head, &stack->next, stack, 0, __ATOMIC_RELEASE,
                                      __ATOMIC_RELAXED)) {
  }
}

/* Frames that a walk needs to reach the program, if only the function that was called matters. */
enum { OWN_FRAMES = 16 };

/* Runs on a stack of the runtime. */
static void find_site(void *argument) {
  struct new_stack *new = argument;
  struct span span;
  struct walk walk;
  unsigned first = 0;
  int own = find_bounds(new->frame, &span);
  uint64_t key = key_of(new->returns, own ? span.end - new->frame : new->frame &PAGE_MASK);
  const struct site_stack *known = own ? known_stack(key, new->frame, span.end) : NULL;
  if (known) {
    new->part = known->part;
    return;
  }
  if (span.end == 0) {
    new->part = site_unknown();
    return;
  }
  int is_full = __atomic_load_n(&sites_state.stacks, __ATOMIC_RELAXED) >= SITE_STACKS;
  span.start = new->registers.value[REGISTER_STACK];
  walk_from(&new->registers, &span, is_full ? OWN_FRAMES : WALK_FRAMES, &walk);
  /* The frames of this module, up to the one that looks, are not part of the stack. */
  while (first < walk.count && walk.frame[first].stored <= new->frame)
    first++;
  new->part = site_record(&walk, first, is_full);
  if (new->part && !is_full) remember(&walk, first, key, new->frame, new->part);
}

/* Between runtime_enter and runtime_leave, which need stack of their own. */
static __attribute__((noinline)) struct site_part *new_site(uintptr_t frame, uintptr_t returns) {
  struct new_stack new = {.frame = frame, .returns = returns};
  registers_take(&new.registers);
  if (stack_run(find_site, &new) < 0) new.part = NULL;
  site_thread.walked = 1;
  return new.part;
}

__attribute__((noinline)) struct site_part *site_of_stack(void) {
  uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  uintptr_t returns = (uintptr_t)__builtin_return_address(0);
  const struct span *own = &site_thread.stack;
  const struct site_stack *known;
  if (LIKELY(frame - own->start < own->end - own->start))
    known = known_stack(key_of(returns, own->end - frame), frame, own->end);
  else
    known = known_stack(key_of(returns, frame & PAGE_MASK), frame, 0);
  if (LIKELY(known != NULL)) return known->part;
  record_make_room(STORE_SITES);
  if (!runtime_enter()) return NULL;
  struct site_part *part = new_site(frame, returns);
  runtime_leave();
  return part;
}
