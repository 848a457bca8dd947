#include "gate.h"

#include <stdint.h>
#include <string.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "probe.h"
#include "sys.h"

enum { LOADER, USUAL, STAT, OURS };
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

unsigned sys_gate;
static uint64_t allowed; /* under an inherited filter, by row of the table */

/* fstat of glibc is newfstatat from 2.33 on, and again fstat from 2.39 on. */
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

int sys_gate_lets(long number) {
  if (sys_gate_is_shut()) return 0;
  for (int i = 0; i < CALLS; i++)
    if (calls[i].number == number) return (int)(allowed >> i & 1);
  return 0;
}

void sys_gate_shut(void) {
  __atomic_add_fetch(&sys_gate, SYS_GATE_SHUT, __ATOMIC_SEQ_CST);
}

void sys_gate_reopen(void) {
  __atomic_sub_fetch(&sys_gate, SYS_GATE_SHUT, __ATOMIC_SEQ_CST);
}

/* "Seccomp:\t2" and the like; 0 is none. */
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

/* 4 us.  prctl(PR_GET_SECCOMP) would be quicker, and deadly where the filter does
 * not know it.  Without /proc nothing can be known: then as if there were one, so
 * what fails in passing (a signal, too many files just now) is tried again. */
static int born_under_filter(char status[STATUS_ROOM]) {
  enum { TRIES = 3 };
  ssize_t n = 0;
  for (int i = 0; i < TRIES && n <= 0; i++)
    n = read_status(status, STATUS_ROOM - 1);
  status[n < 0 ? 0 : n] = '\0';
  return n <= 0 || status_tells_of_filter(status);
}

/* What a child could do and live may be done. */
static void allow_what_passes(void) {
  long numbers[CALLS];
  unsigned char passed[CALLS];
  for (int i = 0; i < CALLS; i++)
    numbers[i] = calls[i].number;
  probe_calls(numbers, CALLS, passed);
  for (int i = 0; i < CALLS; i++)
    if (passed[i]) allowed |= UINT64_C(1) << i;
}

void sys_gate_look(void) {
  char status[STATUS_ROOM];
  if (!born_under_filter(status)) return;
  long stat = stat_of_libc();
  for (int i = 0; i < CALLS; i++)
    if (calls[i].who <= USUAL || (calls[i].who == STAT && calls[i].number == stat))
      allowed |= UINT64_C(1) << i;
  if (probe_may_fork(status)) allow_what_passes();
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
