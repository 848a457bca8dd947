/* Runs many small stacks, each with files of its own: stacks ucontext|own STACKS KIB ROUNDS THREADS
 * MICROSECONDS
 *
 * A timer's handler switches between the stacks at any instruction, also to a stack that another
 * thread ran: by swapcontext, or (own) by assembly of this program. STACKS is their number, KIB the
 * size of each, ROUNDS the rounds of I/O of each stack (see work), THREADS (at most 8) the threads
 * that run them, and MICROSECONDS the timer's interval. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

struct stack {
  int number, ended;
  int claimed; /* 1: a thread runs it, or is about to leave it */
  ucontext_t context;
  void *pointer;
};
static struct stack *all;
static int stacks, rounds, switches_itself, microseconds;
static size_t stack_bytes;
static volatile int left;

/* The state of a thread. A stack may continue on another thread, so no function stores a pointer to
 * this structure. */
struct thread {
  struct stack *current;
  struct stack *before; /* left by this thread; free once its registers are saved */
  ucontext_t home;
  void *home_pointer;
};
static __thread struct thread this_thread;

/* Returns the state of the calling thread. It is not inlined, because the compiler would otherwise
 * keep the address over a switch. */
__attribute__((noinline)) static struct thread *thread_now(void) {
  __asm__ volatile("");
  return &this_thread;
}

#if defined(__x86_64__)
void switch_to(void **from, void *to);
__asm__(".text\n"
        "switch_to:\n"
        "push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
        "mov %rsp, (%rdi)\n"
        "mov %rsi, %rsp\n"
        "pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp\n"
        "ret\n");
#else
static void switch_to(void **from, void *to) {
  (void)from, (void)to;
  _exit(77);
}
#endif

/* Says that `what` failed in a round of stack `number`, and ends the process. */
static void fail(const char *what, int number, int round) {
  fprintf(stderr, "%s of stack %d, round %d: %s\n", what, number, round, strerror(errno));
  _exit(4);
}

/* Returns a call's result; ends the process if it is negative. */
static int must(const char *what, int number, int round, long result) {
  if (result < 0) fail(what, number, round);
  return (int)result;
}

/* Ends a switch between stacks: frees the stack that this thread left. */
static void arrived(void) {
  struct stack *before = thread_now()->before;
  thread_now()->before = NULL;
  if (before) __atomic_store_n(&before->claimed, 0, __ATOMIC_RELEASE);
}

/* Claims the next stack after `me` (NULL: after the first) that no thread runs and that has not
 * ended. Returns it, or NULL. */
static struct stack *next_of(const struct stack *me) {
  for (int i = 1; i <= stacks; i++) {
    struct stack *stack = &all[((me ? me->number : 0) + i) % stacks];
    int no = 0;
    if (stack == me || stack->ended ||
        !__atomic_compare_exchange_n(&stack->claimed, &no, 1, 0, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
      continue;
    if (!stack->ended) return stack;
    __atomic_store_n(&stack->claimed, 0, __ATOMIC_RELEASE);
  }
  return NULL;
}

/* The handler of the timer: switches to another stack, if one is free. */
static void preempt(int signal) {
  (void)signal;
  struct stack *me = thread_now()->current, *to = me && !me->ended ? next_of(me) : NULL;
  if (!to) return;
  int saved = errno;
  thread_now()->current = to;
  thread_now()->before = me;
  if (switches_itself)
    switch_to(&me->pointer, to->pointer);
  else
    swapcontext(&me->context, &to->context);
  arrived();
  errno = saved;
}

/* Lets the timer's signal through to this thread (SIG_UNBLOCK), or blocks it (SIG_BLOCK). */
static void timer_may(int how) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGALRM);
  pthread_sigmask(how, &set, NULL);
}

/* Does the I/O of stack number n in `rounds` rounds. Each round writes n + 1 bytes to the file
 * "steady.n", which is opened once, and reads one byte of it. Every eighth round opens "other.n",
 * writes 100 + n bytes, and calls stat, rename and unlink. */
static void work(int n) {
  char steady[32], other[32], third[32], bytes[256];
  struct stat st;
  memset(bytes, 'a' + n % 26, sizeof(bytes));
  snprintf(steady, sizeof(steady), "steady.%d", n);
  snprintf(other, sizeof(other), "other.%d", n);
  snprintf(third, sizeof(third), "third.%d", n);
  int file = must("open", n, -1, open(steady, O_RDWR | O_CREAT | O_TRUNC, 0600));
  for (int i = 0; i < rounds; i++) {
    must("write", n, i, write(file, bytes, (size_t)n + 1));
    must("pread", n, i, pread(file, bytes + 200, 1, i));
    if (i % 8 != 0) continue;
    int fd = must("open", n, i, open(other, O_WRONLY | O_CREAT | O_TRUNC, 0600));
    must("write", n, i, write(fd, bytes, 100 + (size_t)n));
    must("close", n, i, close(fd));
    must("stat", n, i, stat(other, &st));
    if (st.st_size != 100 + n) fail("size", n, i);
    must("rename", n, i, rename(other, third));
    must("unlink", n, i, unlink(third));
  }
  must("close", n, -1, close(file));
}

/* The first function of each stack: does its I/O, and returns to the thread's own stack. */
static void body(void) {
  arrived();
  struct stack *me = thread_now()->current;
  timer_may(SIG_UNBLOCK);
  work(me->number);
  timer_may(SIG_BLOCK);
  me->ended = 1;
  __atomic_sub_fetch(&left, 1, __ATOMIC_RELAXED);
  if (switches_itself)
    switch_to(&me->pointer, thread_now()->home_pointer);
  else
    setcontext(&thread_now()->home);
}

/* Maps the memory of a stack and makes it start in body. */
static void make(struct stack *stack) {
  char *memory =
      mmap(NULL, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) _exit(5);
  if (switches_itself) { /* six registers, where to go, and where that may not return to */
    void **top = (void **)(memory + stack_bytes);
    top[-1] = NULL;
    top[-2] = (void *)body;
    stack->pointer = top - 8;
    return;
  }
  getcontext(&stack->context);
  sigaddset(&stack->context.uc_sigmask, SIGALRM);
  stack->context.uc_stack.ss_sp = memory;
  stack->context.uc_stack.ss_size = stack_bytes;
  stack->context.uc_link = NULL;
  makecontext(&stack->context, body, 0);
}

/* Runs stacks under a timer of its own until all have ended. Each thread runs it. */
static void *run_stacks(void *unused) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM};
  struct itimerspec every = {{0, microseconds * 1000}, {0, microseconds * 1000}};
  static const struct timespec nap = {0, 100000};
  timer_t timer;
  event._sigev_un._tid = (int)syscall(SYS_gettid);
  timer_may(SIG_BLOCK);
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) _exit(6);
  timer_settime(timer, 0, &every, NULL);
  while (left > 0) {
    struct stack *stack = next_of(NULL);
    if (!stack) {
      nanosleep(&nap, NULL);
      continue;
    }
    thread_now()->current = stack;
    if (switches_itself)
      switch_to(&thread_now()->home_pointer, stack->pointer);
    else
      swapcontext(&thread_now()->home, &stack->context);
    timer_may(SIG_BLOCK);
    thread_now()->current = NULL;
  }
  timer_delete(timer);
  return unused;
}

int main(int argc, char **argv) {
  enum { THREADS = 8 };
  pthread_t thread[THREADS];
  struct sigaction action = {.sa_handler = preempt, .sa_flags = SA_RESTART};
  if (argc != 7) return 2;
  switches_itself = !strcmp(argv[1], "own");
  stacks = left = atoi(argv[2]);
  stack_bytes = (size_t)atoi(argv[3]) << 10;
  rounds = atoi(argv[4]);
  int threads = atoi(argv[5]);
  microseconds = atoi(argv[6]);
  if (threads > THREADS || !(all = calloc((size_t)stacks, sizeof(*all)))) return 3;
  for (int i = 0; i < stacks; i++) {
    all[i].number = i;
    make(&all[i]);
  }
  sigaction(SIGALRM, &action, NULL);
  for (int i = 0; i < threads; i++)
    pthread_create(&thread[i], NULL, run_stacks, NULL);
  for (int i = 0; i < threads; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
