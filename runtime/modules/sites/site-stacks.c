/* Finds the call site of the running stack among the known stacks, which were walked before, or by
 * walking the stack. */
#include <string.h>
#include <sys/uio.h>

#include "../../door/door.h"
#include "../../intercept/stack.h"
#include "../../intercept/sys/sys.h"
#include "../../stacks/frame-rules.h"
#include "../../stacks/registers.h"
#include "../../stacks/script/script-frames.h"
#include "sites-state.h"

/* Returns the words that identify the lines (script_words), which are behind the frames; NULL if
 * the lines themselves are compared. */
static const struct script_words *words_of(const struct site_python *python) {
  return python->by_words ? (const struct script_words *)(python->frame + SCRIPT_FRAMES) : NULL;
}

/* Returns the index of the chain of stacks with this key. */
static inline unsigned head_of(uint64_t key) {
  return (unsigned)(key * 0x9e3779b97f4a7c15u >> 54) % SITE_HEADS;
}

/* Returns the key of a stack, computed from the innermost return address and the depth of the
 * stack. If the end of the stack is unknown, the offset within a page replaces the depth. With
 * Python, the innermost line is part of the key, unless words of the stack identify the lines. */
static inline ALWAYS_INLINE uint64_t key_of(uintptr_t returns, uintptr_t depth,
                                            const struct site_python *python) {
  uint64_t key = python->imports ? 1 : (uint64_t)returns * 31 + depth;
  if (python->lines && !python->by_words)
    key = key * 31 + python->frame[0].code * 7 + python->frame[0].instruction;
  return key;
}
enum { PAGE_MASK = 4095 };

/* Returns the key of the innermost frames of a stack. No stack has the depth 0. */
static inline uint64_t key_of_end(uintptr_t returns) {
  return (uint64_t)returns * 31;
}

/* Like site_is_same, for a running stack whose end is unknown. The kernel reads the return
 * addresses, because it returns an error for addresses without memory; the result is then 0. */
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
    if (sys_call(SYS_process_vm_readv, spin_token(), (long)&here, 1, (long)there, n, 0) !=
        (long)here.iov_len)
      return 0;
    for (unsigned k = 0; k < n; k++)
      if (words[k] != stack->slot[i + k].address) return 0;
    i += n;
  }
  return 1;
}

/* A known stack is compared again after check_age ticks: at least about a millisecond, and so long
 * that comparisons take at most one part in CHECK_PART of a thread's time. Otherwise a program that
 * alternates between hundreds of stacks would compare one at each call, which takes
 * microseconds. */
enum { CHECK_TICKS = 1 << 21, CHECK_PART = 16 };
static const uint64_t longest_check_age = (uint64_t)CHECK_TICKS << 10; /* about a second */
/* Returns 1 if the lines of the known stack must be compared again, otherwise 0. */
static inline int is_due(const struct site_stack *stack) {
  uint64_t checked = __atomic_load_n(&stack->checked, __ATOMIC_RELAXED);
  uint64_t age = site_thread.now - checked;
  return UNLIKELY(age >= CHECK_TICKS) && age >= site_thread.check_age;
}

/* Notes a comparison that began at `begun` (ticks) and ends now. A period has the length of the
 * current check_age (site_thread), and each stack is compared once in it. At the period's end,
 * computes the check_age that these comparisons require. */
static void note_check(uint64_t begun) {
  struct site_thread *thread = &site_thread;
  uint64_t now = ticks_now();
  thread->in_checks += now - begun;
  if (now - thread->checks_since < CHECK_TICKS || now - thread->checks_since < thread->check_age)
    return;
  uint64_t age = CHECK_PART * thread->in_checks;
  thread->check_age = age < longest_check_age ? age : longest_check_age;
  thread->in_checks = 0;
  thread->checks_since = now;
}

/* Compares the texts of the running stack's lines, by a hash (site_mark), with those of the known
 * stack, whose addresses are the same. Returns 1 if the hash is the same or unknown, else 0. If the
 * known stack has no hash yet, stores this one. */
static int compare_texts(struct site_stack *stack) {
  uint64_t mark = stack->lines ? site_mark(stack) : 0;
  uint64_t known = __atomic_load_n(&stack->mark, __ATOMIC_RELAXED);
  if (mark && known && mark != known) return 0;
  if (!known) __atomic_store_n(&stack->mark, mark, __ATOMIC_RELAXED);
  __atomic_store_n(&stack->checked, site_thread.now, __ATOMIC_RELAXED);
  return 1;
}

/* Like compare_texts; the time that it takes is noted (note_check). */
static __attribute__((noinline)) int check_texts(struct site_stack *stack) {
  uint64_t begun = ticks_now();
  int are_same = compare_texts(stack);
  note_check(begun);
  return are_same;
}

/* Like check_texts, but returns 1 without a comparison if the last one is recent. Equal addresses
 * are not sufficient: a code object may be freed and another one of the same size be made at its
 * address, for example if a program runs one script after another. */
static inline int have_texts(struct site_stack *stack) {
  return !is_due(stack) || check_texts(stack);
}

static __attribute__((noinline)) int check_lines(struct site_stack *stack) {
  uint64_t begun = ticks_now();
  int are_same = site_has_script_lines(stack) && compare_texts(stack);
  note_check(begun);
  return are_same;
}

/* Returns 1 if the running stack, whose words equal those of the known stack, also has the same
 * lines. Also returns 1 if the lines were compared recently. Otherwise returns 0. */
static inline int have_lines(struct site_stack *stack) {
  return !is_due(stack) || check_lines(stack);
}

/* Returns 1 if the lines of the running stack are those of the known stack, otherwise 0. Not
 * inlined, because its caller must use little stack. */
static __attribute__((noinline)) int same_lines(struct site_stack *stack,
                                                const struct site_python *python) {
  for (uint32_t i = 0; i < stack->lines; i++)
    if (stack->line[i].code != python->frame[i].code ||
        stack->line[i].instruction != python->frame[i].instruction)
      return 0;
  return have_texts(stack);
}

__attribute__((noinline)) int site_has_lines(struct site_stack *stack) {
  if (stack->by_words)
    return have_lines(stack); /* its slots include the words, which were compared */
  int has = UNLIKELY(script_is_here()) ? site_has_script_lines(stack)
                                       : python_frames_are(stack->line, stack->lines, true);
  return has && have_texts(stack);
}

/* Returns the known stack that is equal to the running one, or NULL. key: key_of the running stack.
 * frame: address of the stack frame of sites_count_inside. end: end of the running stack, 0 if
 * unknown. python: its lines. *compared: receives the number of known stacks with this key that
 * differ. */
static inline ALWAYS_INLINE struct site_stack *known_stack(uint64_t key, uintptr_t frame,
                                                           uintptr_t end,
                                                           const struct site_python *python,
                                                           unsigned *compared) {
  struct site_stack *stack = __atomic_load_n(&sites_state.head[head_of(key)], __ATOMIC_ACQUIRE);
  for (*compared = 0; stack; stack = stack->next) {
    if (stack->key != key || stack->lines != python->lines) continue;
    ++*compared;
    if (python->lines && !same_lines(stack, python)) continue;
    if (end ? stack->span <= end - frame && site_is_same(stack, frame)
            : is_same_there(stack, frame))
      return stack;
  }
  return NULL;
}

/* Returns the known stack whose slots identify the running stack, including its lines; NULL if
 * there is none. The running stack is the thread's own. */
static inline ALWAYS_INLINE struct site_stack *known_by_words(uint64_t key, uintptr_t frame,
                                                              uintptr_t end) {
  struct site_stack *stack = __atomic_load_n(&sites_state.head[head_of(key)], __ATOMIC_ACQUIRE);
  for (; stack; stack = stack->next)
    if (stack->key == key && stack->by_words && stack->span <= end - frame &&
        site_is_same(stack, frame) && have_lines(stack))
      return stack;
  return NULL;
}

/* --- new stacks ---------------------------------------------------------------------------- */

/* A running stack that is not known yet, and the call site that is found for it. */
struct new_stack {
  struct registers_kept registers;
  uintptr_t frame, returns; /* of sites_count_inside: its stack frame, its return address */
  uint32_t forgotten;       /* value of sites_state.forgotten before the walk */
  const struct site_python *python;
  struct site_part *part; /* NULL: no record */
};

int site_bounds(uintptr_t frame, struct span *span) {
  /* The thread's own stack is that of the main thread, or one that has the thread's variables at
   * its end; its bounds are stored, because it exists as long as the thread. For another stack,
   * *span has the bounds of the mapping that contains frame. */
  struct span *own = &site_thread.stack;
  int is_main;
  if (frame - own->start < own->end - own->start) {
    *span = *own;
    return 1;
  }
  if (stack_span(frame, span, &is_main) < 0) {
    *span = (struct span){0, 0};
    return 0;
  }
  uintptr_t variables = (uintptr_t)&site_thread;
  if (!is_main && !(variables > frame && variables < span->end)) return 0;
  if (!is_main) span->end = variables & ~(uintptr_t)(sizeof(uintptr_t) - 1);
  *own = *span;
  site_thread.is_first = is_main;
  return 1;
}

/* Adds a stack to the table of known stacks. Takes no lock; other threads may use the stack at
 * once. */
static void publish(struct site_stack *stack) {
  struct site_stack **head = &sites_state.head[head_of(stack->key)];
  stack->next = __atomic_load_n(head, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(head, &stack->next, stack, 0, __ATOMIC_RELEASE,
                                      __ATOMIC_RELAXED)) {
  }
}

/* Adds a slot for the word at address `stored` on the running stack. frame: the address to which
 * slots are relative. */
static void add_slot(struct site_stack *stack, uintptr_t stored, uintptr_t frame) {
  uintptr_t offset = stored - frame;
  stack->slot[stack->count++] = (struct site_slot){offset, *(const uintptr_t *)stored};
  if (offset + sizeof(uintptr_t) > stack->span)
    stack->span = (uint32_t)(offset + sizeof(uintptr_t));
}

static void copy_slots(struct site_stack *stack, const struct walk_frame *from, unsigned count,
                       const struct new_stack *new) {
  const struct script_words *words = words_of(new->python);
  /* Adds the outermost words first, because most stacks with the same key differ there. */
  for (size_t i = words ? words->count : 0; i > 0; i--)
    add_slot(stack, words->address[i - 1], new->frame);
  for (unsigned i = 0; i < count; i++)
    add_slot(stack, from[i].stored, new->frame);
  count = stack->count;
  /* The last slot never matches. If there are no other slots, it compares the return address of the
   * comparing function with 0. */
  struct site_slot never = {sizeof(uintptr_t), 0};
  if (count) never = (struct site_slot){stack->slot[0].offset, ~stack->slot[0].address};
  stack->slot[count] = never;
}

/* Returns 1 if the stack can be recognized later by its slots: the return addresses of the walk,
 * from frame `first` on, and the words that identify the lines. Otherwise returns 0, because they
 * do not identify the stack, or are at places that must not be read later. */
static int is_comparable(const struct new_stack *new, const struct walk *walk, unsigned first) {
  const struct site_python *python = new->python;
  const struct script_words *words = words_of(python);
  const struct span *own = &site_thread.stack;
  for (unsigned i = first; i < walk->count; i++)
    if (walk->frame[i].stored <= new->frame || walk->frame[i].stored - new->frame > UINT32_MAX / 2)
      return 0;
  /* Imports that the interpreter makes at its start have no lines, and share one site. */
  if (walk->count - first + python->lines == 0 && !python->imports) return 0;
  if (!words) return 1;
  /* If there are no words, code without unwind tables may later have lines. */
  if (words->count > SCRIPT_WORDS || (words->count == 0 && walk->end != WALK_WHOLE)) return 0;
  for (size_t i = 0; i < words->count; i++)
    if (words->address[i] <= new->frame || words->address[i] >= own->end - sizeof(uintptr_t) ||
        words->address[i] % sizeof(uintptr_t) != 0 || new->frame < own->start)
      return 0;
  return 1;
}

/* Adds a stack to the table under `key`, with the frames of the walk from `first` on. Does nothing
 * if the table is full or the stack cannot be compared. is_end: 1 if the walk has only the
 * innermost frames of the stack. */
static void remember(const struct new_stack *new, const struct walk *walk, unsigned first,
                     uint64_t key, int is_end) {
  unsigned count = walk->count - first;
  const struct site_python *python = new->python;
  if (!is_comparable(new, walk, first)) return;
  uint32_t *known = is_end ? &sites_state.ends : &sites_state.stacks;
  if (__atomic_fetch_add(known, 1, __ATOMIC_RELAXED) >= (is_end ? SITE_ENDS : SITE_STACKS)) return;
  size_t words = python->by_words ? words_of(python)->count : 0;
  size_t slots = sizeof(struct site_stack) + (count + words + 1) * sizeof(struct site_slot);
  struct site_stack *stack =
      scratch_take(&darshan_scratch, slots + python->lines * sizeof(struct python_frame));
  if (!stack) return;
  stack->forgotten = new->forgotten;
  struct python_frame *line = (struct python_frame *)((char *)stack + slots);
  for (uint32_t i = 0; i < python->lines; i++)
    line[i] = python->frame[i];
  stack->line = line;
  stack->lines = python->lines;
  stack->by_words = python->by_words;
  stack->mark = site_mark(stack);
  stack->checked = site_thread.now;
  stack->key = key;
  stack->part = new->part;
  copy_slots(stack, walk->frame + first, count, new);
  publish(stack);
}

/* Number of frames that a walk needs to reach the program if only the called function matters: for
 * most calls, and at most. */
enum { OWN_FRAMES_USUAL = 8, OWN_FRAMES = 16 };

/* Finds the call site of a stack among the known stacks or by a walk, and stores its record in
 * new->part. A walked stack becomes a known one. If the table of known stacks is full, only the
 * innermost frames are walked, and become known. */
static void walk_to_site(struct new_stack *new) {
  const struct site_python *python = new->python;
  struct registers registers;
  struct span span;
  struct walk walk = {.count = 0, .end = WALK_WHOLE};
  unsigned first = 0;
  int own = site_bounds(new->frame, &span);
  uint64_t key = key_of(new->returns, own ? span.end - new->frame : new->frame &PAGE_MASK, python);
  unsigned alike = 0; /* known stacks that differ from this one only behind the innermost frame */
  const struct site_stack *known =
      own ? known_stack(key, new->frame, span.end, python, &alike) : NULL;
  if (known) {
    new->part = known->part;
    return;
  }
  if (span.end == 0) {
    new->part = site_unknown();
    return;
  }
  int is_full = __atomic_load_n(&sites_state.stacks, __ATOMIC_RELAXED) >= SITE_STACKS ||
                (alike >= SITE_ALIKE && !python->lines);
  registers_from(&registers, &new->registers);
  span.start = registers.value[REGISTER_STACK];
  /* Frames of Python distinguish stacks, so native frames within the interpreter's code are
   * omitted. */
  struct span interpreter = {0, 0};
  if (python->lines) interpreter = site_interpreter();
  if (is_full || !python->imports)
    walk_from(&registers, &span, is_full ? OWN_FRAMES_USUAL : WALK_FRAMES, &interpreter, &walk);
  if (is_full && walk.end == WALK_LONG && site_is_ours(walk.frame[walk.count - 1].address)) {
    registers_from(&registers, &new->registers);
    walk_from(&registers, &span, OWN_FRAMES, &interpreter, &walk);
  }
  /* Skips the frames of this module, up to the frame of sites_count_inside, which are not part of
   * the stack. */
  while (first < walk.count && walk.frame[first].stored <= new->frame)
    first++;
  new->part = site_record(&walk, first, is_full, python);
  if (!new->part) return;
  if (!is_full)
    remember(new, &walk, first, key, 0);
  else if (own && !python->lines && !python->imports && !script_is_here() && walk.count > first &&
           !site_is_ours(walk.frame[walk.count - 1].address - 1))
    remember(new, &walk, first, key_of_end(new->returns), 1);
}

/* After WALKS_FREE walks, a thread spends at most one part in WALK_PART of its time on walks.
 * Otherwise a program whose stacks cannot be stored would wait some microseconds at each call.
 * Calls without a walk are counted for an unknown function. */
enum { WALKS_FREE = 1 << 16, WALK_PART = 16 };
/* Returns 1 if this thread may walk its stack now, otherwise 0. */
static inline int may_walk(void) {
  return site_thread.walks < WALKS_FREE || site_thread.now >= site_thread.walk_after;
}

/* Finds the call site of the stack in the argument (a struct new_stack), and stores its record
 * there. If the thread has spent too much time on walks, takes the record of unknown functions
 * instead. Runs on a stack of the runtime. */
static void find_site(void *argument) {
  struct new_stack *new = argument;
  uint64_t begun = ticks_now();
  if (!may_walk()) {
    new->part = site_unknown();
    __atomic_store_n(&sites_state.unknown, new->part, __ATOMIC_RELEASE);
    return;
  }
  walk_to_site(new);
  site_thread.walks++;
  site_thread.walk_after = site_thread.now + WALK_PART * (ticks_now() - begun);
}

/* Finds or makes the record of a stack that is not among the known stacks, or that of unknown
 * functions if the thread has spent too much time on walks. Returns its state; NULL if there is no
 * space. Not inlined, so that the registers take no stack in the usual case. */
static __attribute__((noinline)) struct site_part *new_site(uintptr_t frame, uintptr_t returns,
                                                            const struct site_python *python) {
  struct new_stack new = {.frame = frame, .returns = returns, .python = python};
  struct site_part *unknown = __atomic_load_n(&sites_state.unknown, __ATOMIC_ACQUIRE);
  if (!may_walk() && unknown) return unknown;
  new.forgotten = __atomic_load_n(&sites_state.forgotten, __ATOMIC_ACQUIRE);
  registers_take(&new.registers);
  if (stack_run(find_site, &new) < 0) new.part = NULL;
  site_thread.walked = 1;
  return new.part;
}

/* Returns the state of the call site's record for the running stack with these lines, which is
 * found among the known stacks or made (new_site); NULL if there is no record. */
static inline ALWAYS_INLINE struct site_part *find(uintptr_t frame, uintptr_t returns,
                                                   const struct site_python *python) {
  const struct span *own = &site_thread.stack;
  struct site_stack *known;
  unsigned alike;
  if (LIKELY(frame - own->start < own->end - own->start)) {
    known = known_stack(key_of(returns, own->end - frame, python), frame, own->end, python, &alike);
    /* Does not store a stack of a script that has no lines: it could get lines later, which nothing
     * would compare. */
    if (!python->imports && (python->lines || !script_is_here())) site_thread.last = known;
    if (UNLIKELY(!known) && !python->lines && !python->imports &&
        __atomic_load_n(&sites_state.ends, __ATOMIC_RELAXED) > 0)
      known = known_stack(key_of_end(returns), frame, own->end, python, &alike);
  } else {
    known = known_stack(key_of(returns, frame & PAGE_MASK, python), frame, 0, python, &alike);
  }
  return LIKELY(known != NULL) ? known->part : new_site(frame, returns, python);
}

static const struct site_python no_python;

/* Like site_of_native_stack, for a thread with frames of Python or of a script, which are copied
 * into a path buffer because they do not fit on the stack. */
__attribute__((noinline)) struct site_part *site_of_python_stack(uintptr_t frame,
                                                                 uintptr_t returns) {
  struct path_buffer *buffer = path_buffer_take();
  struct site_python python = no_python;
  if (buffer) {
    struct python_frame *frames = (struct python_frame *)buffer->bytes;
    struct script_words *words = (struct script_words *)(frames + SCRIPT_FRAMES);
    static_assert(SCRIPT_FRAMES * sizeof(*frames) + sizeof(*words) +
                          sizeof(struct registers_kept) <=
                      DARSHAN_PATH_ROOM,
                  "room");
    if (!script_is_here()) words = NULL; /* Python's frames then use the whole buffer */
    size_t most = words ? SCRIPT_FRAMES : DARSHAN_PATH_ROOM / sizeof(*frames);
    site_take_python(&python, frames, most, words);
  }
  struct site_part *part = find(frame, returns, &python);
  path_buffer_give(buffer);
  return part;
}

int site_has_more_lines(void) {
  return !script_has_words() ||
         (__atomic_load_n(&sites_state.stacks, __ATOMIC_RELAXED) < SITE_STACKS_BY_WORDS &&
          may_walk());
}

__attribute__((noinline)) struct site_part *site_of_words(uintptr_t frame, uintptr_t returns) {
  const struct span *own = &site_thread.stack;
  if (!script_has_words()) return NULL;
  if (frame - own->start >= own->end - own->start) return NULL;
  struct site_stack *known =
      known_by_words(key_of(returns, own->end - frame, &no_python), frame, own->end);
  return known ? (site_thread.last = known)->part : NULL;
}

__attribute__((noinline)) struct site_part *site_of_native_stack(uintptr_t frame,
                                                                 uintptr_t returns) {
  return find(frame, returns, &no_python);
}

void sites_forget_stacks(void) {
  /* The stacks stay in memory, since other threads may be comparing them. */
  if (!sites_on) return;
  known_rules_forget();
  __atomic_add_fetch(&sites_state.forgotten, 1, __ATOMIC_ACQ_REL);
  for (int i = 0; i < SITE_HEADS; i++)
    __atomic_store_n(&sites_state.head[i], NULL, __ATOMIC_RELAXED);
}
