/* The system call gate: counts critical sections and calls, and reads inherited filters. */
#include "sys-gate.h"

#include <stdint.h>
#include <string.h>
#include <time.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "../valgrind.h"
#include "sys.h"

enum { LOADER, USUAL, STAT, OURS, MERGER };
#define SYS_CALL(name, who) {SYS_##name, who, #name},
static const struct {
  long number;
  int who;
  char name[20];
} calls[] = {
#include "sys-calls.def"
};
#undef SYS_CALL
enum { CALLS = sizeof(calls) / sizeof(calls[0]), STATUS_ROOM = 4096 };
_Static_assert(CALLS <= 64, "a bit for each");

/* Limits of waits for other threads: ten seconds for critical sections, as for a lock (spin.c),
 * because a thread may wait for a slow file system; 50 ms for single calls. */
enum { YIELDS = 256, NAP_NS = 200000, TURNS = 50000, NAPS = 250 };
static const struct timespec nap = {0, NAP_NS};

unsigned sys_gate;
int sys_gate_calls;
static uint64_t allowed; /* bit i: the inherited filter allows row i of the table of calls */

/* Returns the number of the system call that libc's fstat makes: newfstatat in glibc 2.33 to 2.38,
 * else fstat. */
static long stat_of_libc(void) {
#ifdef __GLIBC__
  const char *version = gnu_get_libc_version();
  int minor = 0;
  for (const char *at = version + 2; *at >= '0' && *at <= '9'; at++)
    minor = minor * 10 + (*at - '0');
  return minor >= 33 && minor < 39 ? SYS_newfstatat : SYS_fstat;
#else
  return SYS_fstat;
#endif
}

/* Returns 1 if the filter that this process inherited allows the call, whether or not the gate is
 * shut. Otherwise returns 0. */
static int is_allowed(long number) {
  if (!(__atomic_load_n(&sys_gate, __ATOMIC_RELAXED) & SYS_GATE_INHERITED)) return 1;
  for (int i = 0; i < CALLS; i++)
    if (calls[i].number == number) return (int)(allowed >> i & 1);
  return 0;
}

int sys_gate_lets(long number) {
  return !sys_gate_is_shut() && is_allowed(number);
}

int sys_gate_lets_all(void) {
  unsigned gate = __atomic_load_n(&sys_gate, __ATOMIC_RELAXED) % SYS_GATE_STRETCH;
  uint64_t all = UINT64_MAX >> (64 - CALLS);
  return gate < SYS_GATE_INHERITED || (gate < SYS_GATE_SHUT && allowed == all);
}

int sys_gate_begin(void) {
  unsigned before = __atomic_fetch_add(&sys_gate, SYS_GATE_STRETCH, __ATOMIC_SEQ_CST);
  if (before % SYS_GATE_STRETCH < SYS_GATE_SHUT) return 1;
  sys_gate_end();
  return 0;
}

/* Ends a critical section. Does nothing if the count is 0, because the section began before a
 * fork. */
void sys_gate_end(void) {
  unsigned gate = __atomic_load_n(&sys_gate, __ATOMIC_RELAXED);
  while (gate >= SYS_GATE_STRETCH &&
         !__atomic_compare_exchange_n(&sys_gate, &gate, gate - SYS_GATE_STRETCH, 1,
                                      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
    ;
}

int sys_gate_try_shut(void) {
  unsigned gate = __atomic_load_n(&sys_gate, __ATOMIC_RELAXED);
  while (gate < SYS_GATE_STRETCH)
    if (__atomic_compare_exchange_n(&sys_gate, &gate, gate + SYS_GATE_SHUT, 1, __ATOMIC_SEQ_CST,
                                    __ATOMIC_RELAXED))
      return 1;
  return 0;
}

void sys_gate_shut(void) {
  for (int turn = 0; turn < TURNS; turn++) {
    if (sys_gate_try_shut()) return;
    if (turn < YIELDS || SYS2(SYS_nanosleep, &nap, NULL) == -1 /* EPERM */)
      SYS1(SYS_sched_yield, 0);
  }
  __atomic_add_fetch(&sys_gate, SYS_GATE_SHUT, __ATOMIC_SEQ_CST);
}

void sys_gate_reopen(void) {
  __atomic_sub_fetch(&sys_gate, SYS_GATE_SHUT, __ATOMIC_SEQ_CST);
}

/* Waits until no thread is in a call, at most YIELDS + NAPS turns. This thread has not installed
 * its filter yet, so it may still make calls that let other threads run. Resets the count at the
 * end, so that later filters do not wait again for a thread that abandoned a call. */
void sys_gate_settle(void) {
  int may_nap = is_allowed(SYS_nanosleep), may_yield = is_allowed(SYS_sched_yield);
  for (int i = 0; i < YIELDS + NAPS; i++) {
    if (__atomic_load_n(&sys_gate_calls, __ATOMIC_SEQ_CST) <= 0) return;
    if (__atomic_load_n(&sys_gate, __ATOMIC_RELAXED) % SYS_GATE_STRETCH >= 2 * SYS_GATE_SHUT)
      return; /* another thread has shut the gate, too */
    if (i >= YIELDS && may_nap)
      sys_call_now(SYS_nanosleep, (long)&nap, 0, 0, 0, 0, 0);
    else if (may_yield)
      sys_call_now(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
  }
  __atomic_store_n(&sys_gate_calls, 0, __ATOMIC_RELAXED);
}

void sys_gate_forked(void) {
  __atomic_store_n(&sys_gate_calls, 0, __ATOMIC_RELAXED);
  unsigned gate = __atomic_load_n(&sys_gate, __ATOMIC_RELAXED);
  __atomic_store_n(&sys_gate, gate % SYS_GATE_STRETCH, __ATOMIC_RELAXED);
}

/* Returns 1 if the status file reports a filter by a line like "Seccomp:\t2"; 0 if it has no such
 * line or a value of 0. */
static int status_tells_of_filter(const char *status) {
  const char *line = strstr(status, "\nSeccomp:");
  if (!line) return 0;
  for (line += sizeof("\nSeccomp:") - 1; *line == ' ' || *line == '\t'; line++)
    ;
  return *line != '0';
}

static ssize_t read_status(char *status, size_t room) {
  int fd = sys_open("/proc/self/status", O_RDONLY, 0);
  if (fd < 0) return fd;
  ssize_t n = sys_read(fd, status, room);
  sys_close(fd);
  return n;
}

/* Returns 1 if this process inherited a filter, or if that is unknown because /proc is missing.
 * Otherwise returns 0. Stores the status file, which takes 4 us. prctl(PR_GET_SECCOMP) would be
 * faster, but a filter that does not list it would kill the process. A temporary error (a signal,
 * too many open files) is retried. */
static int born_under_filter(char status[STATUS_ROOM]) {
  enum { TRIES = 3 };
  ssize_t n = 0;
  for (int i = 0; i < TRIES && n <= 0; i++)
    n = read_status(status, STATUS_ROOM - 1);
  status[n < 0 ? 0 : n] = '\0';
  return n <= 0 || status_tells_of_filter(status);
}

/* Tests all system calls of the runtime in a child process, and allows the calls that did not kill
 * the child. */
static void allow_what_passes(void) {
  long numbers[CALLS];
  unsigned char passed[CALLS];
  for (int i = 0; i < CALLS; i++)
    numbers[i] = calls[i].number;
  probe_calls(numbers, CALLS, passed);
  for (int i = 0; i < CALLS; i++)
    if (passed[i]) allowed |= UINT64_C(1) << i;
}

/* Returns 1 if a forked child may test which calls a filter allows. Returns 0 under Valgrind, which
 * makes the child's calls itself and crashes on the invalid addresses in them. */
static int may_probe(const char *status) {
  return !valgrind_is_there() && probe_may_fork(status);
}

void sys_gate_look(void) {
  char status[STATUS_ROOM];
  if (!born_under_filter(status)) return;
  long stat = stat_of_libc();
  for (int i = 0; i < CALLS; i++)
    if (calls[i].who <= USUAL || (calls[i].who == STAT && calls[i].number == stat))
      allowed |= UINT64_C(1) << i;
  if (may_probe(status)) allow_what_passes();
  __atomic_or_fetch(&sys_gate, SYS_GATE_INHERITED, __ATOMIC_SEQ_CST);
}

int sys_gate_allow(const char *name) {
  int known = 0;
  for (int i = 0; i < CALLS; i++) {
    if (strcmp(name, "*") != 0 && strcmp(name, calls[i].name) != 0) continue;
    known = 1;
    allowed |= UINT64_C(1) << i;
  }
  return known;
}
