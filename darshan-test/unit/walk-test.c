/* Tests stacks that are walked by unwind tables, compared with the compiler's own unwinder; and
 * damaged tables. */
#include "stacks/walk.h"

#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "stacks/frame-rules.h"
#include "stacks/registers.h"
#include "unit.h"

/* Defines the function by which intercept/loader/loader.h detects a loader; the walk queries the
 * loader only in a process that has one. */
void *loader_open(const char *file, int flags);
void *loader_open(const char *file, int flags) {
  (void)file, (void)flags;
  return NULL;
}

enum { FRAMES = 256 };
static struct walk walk, first; /* the last one, and the one before it from the same place */
static void *known[FRAMES];
static int known_count;

static _Unwind_Reason_Code note(struct _Unwind_Context *context, void *argument) {
  (void)argument;
  if (known_count == FRAMES) return _URC_END_OF_STACK;
  known[known_count++] = (void *)_Unwind_GetIP(context);
  return _URC_NO_REASON;
}

/* Walks the stack from this function, and has libgcc walk the same stack. */
__attribute__((noinline)) static void walk_here(void) {
  struct registers_kept kept;
  struct registers registers;
  struct span stack;
  int is_main;
  known_count = 0;
  _Unwind_Backtrace(note, NULL);
  assert_int_equal(stack_span((uintptr_t)__builtin_frame_address(0), &stack, &is_main), 0);
  registers_take(&kept);
  /* The second walk takes the rules that the first one remembered. */
  for (int times = 0; times < 2; times++) {
    registers_from(&registers, &kept);
    stack.start = registers.value[REGISTER_STACK];
    walk_from(&registers, &stack, WALK_FRAMES, &(struct span){0, 0}, &walk);
    if (times == 0) first = walk;
  }
  assert_int_equal(walk.count, first.count);
  assert_int_equal(walk.end, first.end);
  assert_memory_equal(walk.frame, first.frame, walk.count * sizeof(walk.frame[0]));
  for (unsigned i = 1; i < walk.count; i++)
    assert_int_equal(return_address_bare(*(uintptr_t *)walk.frame[i].stored),
                     walk.frame[i].address);
}

/* Compares both walks. The address of the first frame is in walk_here, before or after the call. */
static void check_same(void) {
  assert_int_equal(walk.end, WALK_WHOLE);
  /* libgcc's walk may have an address 0 at its end. */
  int count = known_count;
  while (count > 0 && !known[count - 1])
    count--;
  assert_int_equal(walk.count, count);
  for (unsigned i = 1; i < walk.count; i++)
    assert_int_equal(walk.frame[i].address, (uintptr_t)known[i]);
}

#ifdef __clang__
#define BUILT(...) __attribute__((noinline))
#else
#define BUILT(...) __attribute__((noinline, optimize(__VA_ARGS__)))
#endif

typedef void function(int depth);
static function *const chain[];

#define NEXT(depth)                                                                                \
  if ((depth) == 0)                                                                                \
    walk_here();                                                                                   \
  else                                                                                             \
    chain[(depth) % 6](depth - 1);                                                                 \
  __asm__ volatile("")

__attribute__((noinline)) static void plain(int depth) {
  NEXT(depth);
}
__attribute__((noinline)) static void moving(int depth) {
  volatile char *room = alloca(17u * (unsigned)depth + 1);
  room[0] = 1;
  NEXT(depth);
}
BUILT("O0") static void simple(int depth) {
  NEXT(depth);
}
BUILT("O3", "omit-frame-pointer") static void quick(int depth) {
  volatile uint64_t many[40] = {(uint64_t)depth};
  NEXT(depth);
  many[1] = many[0];
}
BUILT("O1", "no-omit-frame-pointer") static void framed(int depth) {
  NEXT(depth);
}
static int compared_depth; /* of the next comparison; negative: it does nothing */
static int compare(const void *a, const void *b) {
  (void)a, (void)b;
  int depth = compared_depth;
  if (depth < 0) return 0;
  compared_depth = -1;
  NEXT(depth);
  return 0;
}
/* Walks the stack in a callback of qsort, that is through code of the C library without symbols. */
__attribute__((noinline)) static void sorted(int depth) {
  int two[2] = {1, 2};
  compared_depth = depth;
  qsort(two, 2, sizeof(two[0]), compare);
  __asm__ volatile("");
}
static function *const chain[] = {plain, moving, simple, quick, framed, sorted};

static void functions_of_all_kinds(void **state) {
  (void)state;
  for (int depth = 0; depth < 40; depth++) {
    walk.count = 0;
    chain[depth % 6](depth);
    assert_true(walk.count > (unsigned)depth);
    check_same();
  }
}

static void deep_stacks_end_at_the_limit(void **state) {
  (void)state;
  plain(3 * WALK_FRAMES);
  assert_int_equal(walk.end, WALK_LONG);
  assert_int_equal(walk.count, WALK_FRAMES);
}

static void *thread(void *argument) {
  (void)argument;
  moving(7);
  return NULL;
}

static void threads_with_small_stacks(void **state) {
  pthread_t id;
  pthread_attr_t attributes;
  (void)state;
  assert_int_equal(pthread_attr_init(&attributes), 0);
  long least = sysconf(_SC_THREAD_STACK_MIN), size = 32 << 10;
  assert_int_equal(pthread_attr_setstacksize(&attributes, (size_t)(least > size ? least : size)),
                   0);
  assert_int_equal(pthread_create(&id, &attributes, thread, NULL), 0);
  assert_int_equal(pthread_join(id, NULL), 0);
  pthread_attr_destroy(&attributes);
  check_same();
}

static ucontext_t home, away;
static void coroutine(void) {
  quick(9);
}

static void coroutines(void **state) {
  enum { STACK = 256 << 10 };
  (void)state;
  char *stack = malloc(STACK);
  assert_non_null(stack);
  assert_int_equal(getcontext(&away), 0);
  away.uc_stack.ss_sp = stack;
  away.uc_stack.ss_size = STACK;
  away.uc_link = &home;
  makecontext(&away, coroutine, 0);
  assert_int_equal(swapcontext(&home, &away), 0);
  /* Depending on the C library, its tables do not say that a coroutine ends: the last address is
   * then not one of code, or the caller of the last frame is that frame again (AArch64). */
  if (walk.end == WALK_NO_TABLE || walk.end == WALK_WRONG) walk.end = WALK_WHOLE;
  check_same();
  free(stack);
}

static void handler(int signal) {
  (void)signal;
  plain(3);
}

static void handlers_end_the_walk(void **state) {
  (void)state;
  struct sigaction action = {.sa_handler = handler}, before;
  assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
  raise(SIGUSR1);
  sigaction(SIGUSR1, &before, NULL);
#if defined(__aarch64__)
  /* Handlers return to code of qemu that has no tables. */
  if (walk.end == WALK_NO_TABLE) {
    walk.count--;
    walk.end = WALK_HANDLER;
  }
#endif
  assert_int_equal(walk.end, WALK_HANDLER);
  assert_in_range(walk.count, 3, 8);
  for (unsigned i = 1; i < walk.count; i++)
    assert_int_equal(walk.frame[i].address, (uintptr_t)known[i]);
}

#if defined(__x86_64__)
/* The walk ends at code that was made at run time and has no unwind tables. */
static void code_without_tables_ends_the_walk(void **state) {
  static const unsigned char code[] = {0x48, 0x83, 0xec, 0x08, 0xff, 0xd7,
                                       0x48, 0x83, 0xc4, 0x08, 0xc3};
  (void)state;
  void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_ptr_not_equal(page, MAP_FAILED);
  memcpy(page, code, sizeof(code));
  assert_int_equal(mprotect(page, 4096, PROT_READ | PROT_EXEC), 0);
  ((void (*)(void (*)(void)))page)(walk_here);
  assert_int_equal(walk.end, WALK_NO_TABLE);
  assert_int_equal(walk.count, 1);
  munmap(page, 4096);
}
#endif

static void objects_are_told_apart(void **state) {
  struct object own, libc;
  uint8_t id[BUILD_ID_MOST];
  (void)state;
  assert_int_equal(object_of((uintptr_t)walk_here, &own), 0);
  assert_int_equal(object_of((uintptr_t)&getpagesize, &libc), 0);
  assert_int_not_equal(own.start, libc.start);
  assert_non_null(strstr(libc.path, "libc"));
  assert_int_not_equal(object_build_id(&libc, id), 0);
  assert_int_equal(object_of(16, &own), -1);
}

/* --- damaged tables ------------------------------------------------------------------------ */

static uint64_t random_state = 1;
static uint64_t next_random(void) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return random_state >> 33;
}

static struct section copied(const struct section *section, size_t size) {
  uint8_t *copy = malloc(size);
  assert_non_null(copy);
  memcpy(copy, section->bytes, size);
  return (struct section){copy, size, section->address};
}

static void damage(const struct section *section) {
  uint8_t *bytes = (uint8_t *)(uintptr_t)section->bytes;
  for (unsigned n = 1 + next_random() % 8; n > 0; n--) {
    size_t at = next_random() % section->size;
    bytes[at] =
        next_random() % 4 ? (uint8_t)next_random() : (uint8_t)(bytes[at] ^ 1 << next_random() % 8);
  }
}

/* Makes steps of a walk from random addresses of the object, with random registers, on a stack of
 * random words. Returns how many steps succeeded. */
static unsigned steps_by(const struct object *object, unsigned rounds) {
  static uintptr_t stack[512];
  struct span span = {(uintptr_t)stack, (uintptr_t)(stack + 512)};
  unsigned good = 0;
  for (unsigned i = 0; i < 512; i++)
    stack[i] = next_random() % 2 ? next_random() : (uintptr_t)&stack[next_random() % 512];
  for (unsigned i = 0; i < rounds; i++) {
    struct registers registers = {.pc = object->start +
                                        next_random() % (object->end - object->start)};
    enum walk_end end;
    uintptr_t stored;
    for (unsigned number = 0; number < REGISTERS; number++)
      register_set(&registers, number, (uintptr_t)&stack[next_random() % 512]);
    good += walk_step(object, &registers, &span, 1, &stored, &end) == 1;
  }
  return good;
}

static void damaged_tables_do_no_harm(void **state) {
  enum { ROUNDS = 400, STEPS = 200, MOST = 256 << 10 };
  struct object object;
  (void)state;
  for (int which = 0; which < 2; which++) {
    assert_int_equal(object_of(which ? (uintptr_t)&getpagesize : (uintptr_t)walk_here, &object), 0);
    struct object good = object;
    assert_true(steps_by(&good, STEPS) > 0);
    for (unsigned round = 0; round < ROUNDS; round++) {
      size_t size = good.frames.size < MOST ? good.frames.size : MOST;
      object.header = copied(&good.header, good.header.size);
      object.frames = copied(&good.frames, size);
      if (round % 4) damage(&object.frames);
      if (round % 4 != 1) damage(&object.header);
      if (round % 16 == 0) object.frames.size = 1 + next_random() % size;
      if (round % 16 == 8) object.header.size = 1 + next_random() % good.header.size;
      steps_by(&object, STEPS);
      free((void *)(uintptr_t)object.header.bytes);
      free((void *)(uintptr_t)object.frames.bytes);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(functions_of_all_kinds),
    cmocka_unit_test(deep_stacks_end_at_the_limit),
    cmocka_unit_test(threads_with_small_stacks),
    cmocka_unit_test(coroutines),
    cmocka_unit_test(handlers_end_the_walk),
#if defined(__x86_64__)
    cmocka_unit_test(code_without_tables_ends_the_walk),
#endif
    cmocka_unit_test(objects_are_told_apart),
    cmocka_unit_test(damaged_tables_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
