/* Programs whose call sites are known: the argument names a scenario, which runs in the working
 * folder.
 *
 *      sites loops|recursion|threads|fork|killed|many|coroutine|nested|handler|moving|
 *
 *            preempted|jumping */
#include <alloca.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define FUNCTION __attribute__((noinline, used)) static
/* Keeps a call from becoming a jump. */
#define STAY __asm__ volatile("")

static char bytes[4096];

/* Ends the program with status 1 and a message of perror unless `right`. */
static void ensure(int right, const char *what) {
  if (right) return;
  perror(what);
  exit(1);
}

/* Creates an empty file in the working folder; returns its descriptor. Ends the program with status
 * 1 on an error. */
FUNCTION int make(const char *name) {
  int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
  ensure(fd >= 0, name);
  STAY;
  return fd;
}

/* Writes n bytes at the current offset. */
FUNCTION void put(int fd, size_t n) {
  ensure(write(fd, bytes, n) == (ssize_t)n, "write");
  STAY;
}

/* Reads n bytes at offset `at`. */
FUNCTION void get(int fd, size_t n, off_t at) {
  ensure(pread(fd, bytes, n, at) == (ssize_t)n, "pread");
  STAY;
}

/* Writes in two loops, which call one function from two lines, and reads in two loops: at
 * decreasing offsets, then at one offset. */
FUNCTION void loops(void) {
  int fd = make("loops");
  for (int i = 0; i < 100; i++)
    put(fd, 1000);
  for (int i = 0; i < 40; i++)
    put(fd, 50);
  for (int i = 0; i < 10; i++)
    get(fd, 4096, 8192 * (10 - i));
  for (int i = 0; i < 5; i++)
    get(fd, 200, 0);
  ensure(lseek(fd, 0, SEEK_SET) == 0 && fsync(fd) == 0 && close(fd) == 0, "loops");
  ensure(access("not-there", F_OK) < 0, "access");
}

/* Writes 10 bytes in each of depth + 1 nested calls. */
FUNCTION void dive(int fd, int depth) {
  put(fd, 10);
  if (depth > 0) dive(fd, depth - 1);
  STAY;
}

FUNCTION void recursion(void) {
  int fd = make("recursion");
  dive(fd, 0);
  dive(fd, 100);
  dive(fd, 500); /* deeper than a walk goes */
}

FUNCTION void *worker(void *fd) {
  for (int i = 0; i < 1000; i++)
    put((int)(intptr_t)fd, 8);
  return NULL;
}

FUNCTION void threads(void) {
  enum { THREADS = 8, STACK = 16 << 10 };
  pthread_t id[THREADS];
  pthread_attr_t small;
  int fd = make("threads");
  ensure(pthread_attr_init(&small) == 0 && pthread_attr_setstacksize(&small, STACK) == 0, "stack");
  for (int i = 0; i < THREADS; i++)
    ensure(pthread_create(&id[i], &small, worker, (void *)(intptr_t)fd) == 0, "thread");
  for (int i = 0; i < THREADS; i++)
    pthread_join(id[i], NULL);
}

/* Writes, and forks two children, which write five times each. */
FUNCTION void forks(void) {
  int fd = make("fork");
  put(fd, 100);
  for (int child = 0; child < 2; child++) {
    pid_t pid = fork();
    for (int i = 0; pid == 0 && i < 5; i++)
      put(fd, 7);
    if (pid == 0) exit(0);
    ensure(waitpid(pid, NULL, 0) == pid, "waitpid");
  }
}

FUNCTION void killed(void) {
  int fd = make("killed");
  for (int i = 0; i < 30; i++)
    put(fd, 11);
  raise(SIGKILL);
}

/* Writes one byte, at the end of a path of calls through level_3 to level_1. Each path is a
 * different stack, so there are more stacks than call sites with a record. */
FUNCTION void level_0(int fd, int path) {
  (void)path;
  put(fd, 1);
}
/* Each way has code of its own, which the compiler must not share. */
#define WAY(next, n)                                                                               \
  case n:                                                                                          \
    next(fd, path / 11);                                                                           \
    __asm__ volatile("" : : "i"(n));                                                               \
    break
#define WAYS(next)                                                                                 \
  switch (path % 11) {                                                                             \
    WAY(next, 0);                                                                                  \
    WAY(next, 1);                                                                                  \
    WAY(next, 2);                                                                                  \
    WAY(next, 3);                                                                                  \
    WAY(next, 4);                                                                                  \
    WAY(next, 5);                                                                                  \
    WAY(next, 6);                                                                                  \
    WAY(next, 7);                                                                                  \
    WAY(next, 8);                                                                                  \
    WAY(next, 9);                                                                                  \
    WAY(next, 10);                                                                                 \
  }
FUNCTION void level_1(int fd, int path){WAYS(level_0)} FUNCTION
    void level_2(int fd, int path){WAYS(level_1)} FUNCTION
    void level_3(int fd, int path){WAYS(level_2)} FUNCTION void many(void) {
  int fd = make("many");
  for (int round = 0; round < 3; round++)
    for (int path = 0; path < 11 * 11 * 11; path++)
      level_3(fd, path);
}

static ucontext_t home, away;
static int away_fd;
FUNCTION void away_main(void) {
  for (int i = 0; i < 3; i++) {
    put(away_fd, 20);
    swapcontext(&away, &home);
  }
}

/* Makes calls in a coroutine, and in turn on the main stack. */
FUNCTION void coroutine(void) {
  enum { STACK = 64 << 10 };
  away_fd = make("coroutine");
  for (int round = 0; round < 4; round++) {
    char *stack = malloc(STACK);
    ensure(stack && getcontext(&away) == 0, "coroutine");
    away.uc_stack.ss_sp = stack;
    away.uc_stack.ss_size = STACK;
    away.uc_link = &home;
    makecontext(&away, away_main, 0);
    for (int i = 0; i < 4; i++) {
      swapcontext(&home, &away);
      put(away_fd, 30);
    }
    free(stack);
  }
}

/* Makes calls of streams, which call the kernel; these calls are not the program's own. */
FUNCTION void nested(void) {
  FILE *file = fopen("nested", "w+");
  ensure(file != NULL, "nested");
  for (int i = 0; i < 1000; i++)
    fwrite(bytes, 1, 100, file);
  ensure(fflush(file) == 0, "fflush");
  fprintf(file, "%d", 12345);
  ensure(fclose(file) == 0, "fclose");
}

static int handler_fd;
FUNCTION void handler(int number) {
  (void)number;
  put(handler_fd, 3);
  STAY;
}
/* Interrupts itself 20 times by a signal whose handler writes. */
FUNCTION void interrupted(void) {
  handler_fd = make("handler");
  signal(SIGUSR1, handler);
  for (int i = 0; i < 20; i++) {
    if (i % 2)
      raise(SIGUSR1);
    else
      kill(getpid(), SIGUSR1);
  }
}

/* Writes from one line with different stack pointers. */
FUNCTION void moving(void) {
  int fd = make("moving");
  for (int i = 0; i < 50; i++) {
    volatile char *room = alloca((size_t)(16 * (i % 10) + 16));
    room[0] = 1;
    put(fd, 5);
  }
}

static void tick_every(int microseconds) {
  struct itimerval every = {{0, microseconds}, {0, microseconds}};
  ensure(setitimer(ITIMER_REAL, &every, NULL) == 0, "setitimer");
}

/* Number of coroutines, and of writes by each. A timer switches between the coroutines at any
 * instruction, also within calls. */
enum { TURNS = 2, PUTS = 20000 };
static ucontext_t turn[TURNS];
static int now, turn_fd, finished[TURNS];
/* The timer's handler: switches to the other coroutine, unless that one has finished. */
static void switch_turn(int number) {
  (void)number;
  int before = now;
  if (finished[TURNS - 1 - before]) return;
  now = TURNS - 1 - before;
  swapcontext(&turn[before], &turn[now]);
}
static void alarms(int how) {
  sigset_t alarm;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  sigprocmask(how, &alarm, NULL);
}
FUNCTION void turn_main(void) {
  alarms(SIG_UNBLOCK);
  for (int i = 0; i < PUTS; i++)
    put(turn_fd, 7);
  alarms(SIG_BLOCK);
  finished[now] = 1;
  int other = TURNS - 1 - now;
  if (finished[other]) setcontext(&home);
  now = other;
  setcontext(&turn[other]);
}
FUNCTION void preempted(void) {
  enum { STACK = 64 << 10 };
  static volatile int is_over;
  turn_fd = make("preempted");
  alarms(SIG_BLOCK); /* in both contexts: a switch must not be interrupted */
  for (int i = 0; i < TURNS; i++) {
    ensure(getcontext(&turn[i]) == 0, "preempted");
    turn[i].uc_stack.ss_sp = malloc(STACK);
    ensure(turn[i].uc_stack.ss_sp != NULL, "malloc");
    turn[i].uc_stack.ss_size = STACK;
    makecontext(&turn[i], turn_main, 0);
  }
  signal(SIGALRM, switch_turn);
  getcontext(&home);
  if (is_over) return;
  is_over = 1;
  tick_every(100);
  setcontext(&turn[0]);
}

/* A handler leaves by siglongjmp, whatever it interrupted. Prints how often, and how many calls
 * returned. */
static sigjmp_buf start;
static void jump(int number) {
  (void)number;
  siglongjmp(start, 1);
}
FUNCTION void after_jumps(int fd) {
  for (int i = 0; i < 500; i++)
    put(fd, 9);
}
/* Writes until a timer's handler has jumped out of a call 300 times, then 500 times without. Prints
 * the number of jumps, and that of writes that returned before. */
FUNCTION void jumping(void) {
  static volatile int jumps, returned;
  int fd = make("jumping");
  signal(SIGALRM, jump);
  tick_every(300);
  if (sigsetjmp(start, 1)) jumps++;
  while (jumps < 300) {
    put(fd, 7);
    returned++;
  }
  tick_every(0);
  after_jumps(fd);
  printf("%d %d\n", jumps, returned);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } all[] = {{"loops", loops},         {"recursion", recursion}, {"threads", threads},
             {"fork", forks},          {"killed", killed},       {"many", many},
             {"coroutine", coroutine}, {"nested", nested},       {"handler", interrupted},
             {"moving", moving},       {"preempted", preempted}, {"jumping", jumping}};
  for (size_t i = 0; argc > 1 && i < sizeof(all) / sizeof(all[0]); i++) {
    if (strcmp(argv[1], all[i].name) != 0) continue;
    all[i].run();
    STAY;
    return 0;
  }
  return 2;
}
