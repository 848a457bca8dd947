/* Tests, in a child process, which system calls an inherited filter allows. */
#include "sys-gate.h"

#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "sys.h"

enum { STATUS_ROOM = 4096, PAGE = 4096 };

/* Returns the number in the line that begins with this string, or -1 if there is no such line. */
static long number_of(const char *status, const char *line) {
  const char *at = strstr(status, line);
  long number = 0;
  if (!at) return -1;
  for (at += strlen(line); *at == ' ' || *at == '\t'; at++)
    ;
  for (; *at >= '0' && *at <= '9'; at++)
    number = number * 10 + (*at - '0');
  return number;
}

static void path_of_status(char path[40], long pid) {
  char digits[20];
  int n = 0;
  do
    digits[n++] = (char)('0' + pid % 10);
  while ((pid /= 10) > 0);
  memcpy(path, "/proc/", 6);
  path += 6;
  while (n > 0)
    *path++ = digits[--n];
  memcpy(path, "/status", 8);
}

static int has_as_many_filters(long pid, long filters) {
  char status[STATUS_ROOM], path[40];
  path_of_status(path, pid);
  int fd = sys_open(path, O_RDONLY, 0);
  if (fd < 0) return 0;
  ssize_t n = sys_read(fd, status, sizeof(status) - 1);
  sys_close(fd);
  if (n <= 0) return 0;
  status[n] = '\0';
  return number_of(status, "\nSeccomp_filters:") == filters;
}

/* Returns 1 if creating a child is known to be allowed, otherwise 0. Filters are only ever added: a
 * parent with as many filters as this process has the same filters, and was allowed to create this
 * process. The first process of a container has no visible parent. A filter without no_new_privs
 * was installed by a container engine, and container engines never kill a process for a fork. A
 * sandbox that kills for a fork sets no_new_privs. */
int probe_may_fork(const char *status) {
  long filters = number_of(status, "\nSeccomp_filters:");
  long parent = number_of(status, "\nPPid:");
  if (filters < 1 || parent < 0) return 0;
  if (parent > 0) return has_as_many_filters(parent, filters);
  return number_of(status, "\nPid:") == 1 && number_of(status, "\nNoNewPrivs:") == 0;
}

/* Makes the call of this number with arguments that no call accepts: descriptors, addresses and
 * flags of -1. kill gets another pid, because -1 means all processes. */
static void call_in_vain(long number) {
  if (number == SYS_kill)
    sys_call_now(SYS_kill, INT_MAX, 0, 0, 0, 0, 0);
  else
    sys_call_now(number, -1, -1, -1, -1, -1, -1);
}

/* Disables the core dump of this child process, which the filter may kill. With a limit of 0 or 1
 * the kernel does not start a program for the dump either. */
static void leave_no_dump(void) {
  enum { CORE = 4 /* RLIMIT_CORE */ };
  uint64_t limit[2] = {0, 0};
  sys_call_now(SYS_prlimit64, 0, CORE, 0, (long)limit, 0, 0);
  limit[0] = limit[1] > 0;
  sys_call_now(SYS_prlimit64, 0, CORE, (long)limit, 0, 0, 0);
  sys_call_now(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0, 0);
}

/* Makes all calls, and ends the child process that it runs in. shared[0] is set if the parent may
 * wait for the child; shared[i + 1] is set if call i did not kill the child. */
static void ask(const long *numbers, int count, volatile unsigned char *shared) {
  leave_no_dump();
  sys_call_now(SYS_wait4, -1, 0, WNOHANG, 0, 0, 0);
  shared[0] = 1;
  for (int i = 0; i < count; i++) {
    call_in_vain(numbers[i]);
    shared[i + 1] = 1;
  }
  sys_call_now(SYS_exit_group, 0, 0, 0, 0, 0, 0);
  sys_call_now(SYS_exit, 0, 0, 0, 0, 0, 0);
  __builtin_trap(); /* ends the child without a system call that may be forbidden: the parent waits
                     */
}

/* Creates the child and waits for it. As with vfork, the parent is stopped until the child is
 * gone, but the child gets a copy of the memory: before Linux 5.16, the core dump of a child
 * that shares it would end the parent, too. */
void probe_calls(const long *numbers, int count, unsigned char *passed) {
  unsigned char *shared =
      sys_mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  memset(passed, 0, (size_t)count);
  if (sys_failed(shared)) return;
  long child = sys_call_now(SYS_clone, CLONE_VFORK, 0, 0, 0, 0, 0);
  if (child == 0) ask(numbers, count, shared);
  if (child > 0 && shared[0]) {
    enum { INTERRUPTED = -4 };
    while (sys_call_now(SYS_wait4, child, 0, __WCLONE, 0, 0, 0) == INTERRUPTED)
      ;
  }
  memcpy(passed, shared + 1, (size_t)count);
  sys_munmap(shared, PAGE);
}
