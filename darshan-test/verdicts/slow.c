/* Preloaded behind the runtime: what a program does with files of one folder takes as long
 * as on a busy parallel file system.  The kernel stops the system calls of the first thread
 * (syscall user dispatch, Linux 5.11), and a handler makes them and waits: so what libc does
 * inside, the buffers of streams, is slow as well.  Times in microseconds.
 *
 *   SLOW_FOLDER  the folder; relative names are in it
 *   SLOW_CALL    a transfer           SLOW_META  an operation on a name
 *   SLOW_SYNC    a sync               SLOW_RATE  bytes in a microsecond
 *   SLOW_LOCK    the lock of a range  SLOW_BLOCK what a write locks, if it starts inside of one
 *   SLOW_HOST    whose transfers take SLOW_FACTOR times as long
 * With SLOW_TARGETS the files lie on Lustre: see lustre.h.
 */
#include "lustre.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/prctl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { IN_FOLDER = 1, WRITES_THROUGH = 2, TARGET_SHIFT = 2, DESCRIPTORS = 8192 };
enum Kind { TRANSFER, NAME_FIRST, NAME_SECOND, OPEN, CLOSE, DUP, SYNC, LISTING, MAPPED, LOCK };

static const struct Call {
  unsigned number;
  enum Kind kind;
} calls[] = {
    {SYS_read, TRANSFER},
    {SYS_write, TRANSFER},
    {SYS_pread64, TRANSFER},
    {SYS_pwrite64, TRANSFER},
    {SYS_readv, TRANSFER},
    {SYS_writev, TRANSFER},
    {SYS_preadv, TRANSFER},
    {SYS_pwritev, TRANSFER},
    {SYS_stat, NAME_FIRST},
    {SYS_lstat, NAME_FIRST},
    {SYS_access, NAME_FIRST},
    {SYS_unlink, NAME_FIRST},
    {SYS_mkdir, NAME_FIRST},
    {SYS_rmdir, NAME_FIRST},
    {SYS_rename, NAME_FIRST},
    {SYS_chmod, NAME_FIRST},
    {SYS_newfstatat, NAME_SECOND},
    {SYS_statx, NAME_SECOND},
    {SYS_faccessat, NAME_SECOND},
    {SYS_faccessat2, NAME_SECOND},
    {SYS_unlinkat, NAME_SECOND},
    {SYS_mkdirat, NAME_SECOND},
    {SYS_renameat, NAME_SECOND},
    {SYS_renameat2, NAME_SECOND},
    {SYS_utimensat, NAME_SECOND},
    {SYS_fchmodat, NAME_SECOND},
    {SYS_openat, OPEN},
    {SYS_close, CLOSE},
    {SYS_dup, DUP},
    {SYS_dup2, DUP},
    {SYS_dup3, DUP},
    {SYS_fsync, SYNC},
    {SYS_fdatasync, SYNC},
    {SYS_getdents64, LISTING},
    {SYS_msync, MAPPED},
    {SYS_fcntl, LOCK},
};
enum { CALLS = sizeof calls / sizeof *calls };

static char folder[PATH_MAX];
static size_t folder_length;
static double call_us, meta_us, sync_us, rate, lock_us;
static uint64_t block;
static volatile char stops = SYSCALL_DISPATCH_FILTER_ALLOW;
static int dispatched;
static volatile unsigned char kinds[DESCRIPTORS];

/* slow_again makes the call from an address that is not dispatched; so does the handler's return.
 */
long slow_again(long number, long a, long b, long c, long d, long e, long f);
void slow_return(void);
extern char slow_begin[], slow_end[];
__asm__(".text\n.hidden slow_again\n.hidden slow_return\n.hidden slow_begin\n.hidden slow_end\n"
        ".globl slow_again\n.globl slow_return\n.globl slow_begin\n.globl slow_end\n"
        "slow_begin:\nslow_again:\n"
        "  mov %rdi, %rax\n  mov %rsi, %rdi\n  mov %rdx, %rsi\n  mov %rcx, %rdx\n"
        "  mov %r8, %r10\n  mov %r9, %r8\n  mov 8(%rsp), %r9\n"
        "  syscall\n  ret\n"
        "slow_return:\n  mov $15, %rax\n  syscall\n  ud2\n"
        "slow_end:\n");

static void wait_us(double us) {
  if (us <= 0) return;
  long ns = (long)(us * 1e3);
  struct timespec span = {ns / 1000000000, ns % 1000000000};
  slow_again(SYS_nanosleep, (long)&span, 0, 0, 0, 0, 0);
}

static unsigned kind_of(long fd) {
  return fd >= 0 && fd < DESCRIPTORS ? kinds[fd] : 0;
}

static int is_in_folder(long base, const char *name) {
  if (name == NULL || *name == '\0') return 0;
  if (*name == '/') return strncmp(name, folder, folder_length) == 0;
  return (int)base == AT_FDCWD || (kind_of(base) & IN_FOLDER);
}

static void note_descriptor(long fd, unsigned kind) {
  if (fd >= 0 && fd < DESCRIPTORS) kinds[fd] = (unsigned char)kind;
}

static double transfer_time(long fd, unsigned number, long result) {
  double us = (call_us + (double)result / rate) * lustre_factor(kind_of(fd) >> TARGET_SHIFT);
  int writes = number == SYS_write || number == SYS_pwrite64 || number == SYS_writev;
  return writes && (kind_of(fd) & WRITES_THROUGH) ? us + sync_us : us;
}

/* Returns the time to get the lock of a block from a neighbour, if a write starts inside a block;
 * otherwise 0. */
static double neighbour_time(const greg_t *r, unsigned number) {
  return number == SYS_pwrite64 && block > 0 && (uint64_t)r[REG_R10] % block ? lock_us : 0;
}

static double lock_time(const greg_t *r) {
  int sets = r[REG_RSI] == F_SETLK || r[REG_RSI] == F_SETLKW;
  return sets && kind_of(r[REG_RDI]) ? lock_us : 0;
}

static double open_time(const greg_t *r, long result) {
  int here = is_in_folder(r[REG_RDI], (const char *)r[REG_RSI]);
  int through = (r[REG_RDX] & O_DSYNC) != 0; /* O_SYNC includes this bit */
  unsigned target = lustre_target((const char *)r[REG_RSI]) << TARGET_SHIFT;
  note_descriptor(result, here ? target | IN_FOLDER | (through ? WRITES_THROUGH : 0) : 0);
  return here ? meta_us : 0;
}

/* Returns the additional time of a finished call. */
static double time_of(const struct Call *call, const greg_t *r, long result) {
  unsigned fd = kind_of(r[REG_RDI]);
  switch (call->kind) {
  case TRANSFER: /* an end of file is known without a request */
    if (!fd || result <= 0) return 0;
    return transfer_time(r[REG_RDI], call->number, result) + neighbour_time(r, call->number);
  case NAME_FIRST:
    return is_in_folder(AT_FDCWD, (const char *)r[REG_RDI]) ? meta_us : 0;
  case NAME_SECOND:
    return is_in_folder(r[REG_RDI], (const char *)r[REG_RSI]) ? meta_us : 0;
  case OPEN:
    return open_time(r, result);
  case DUP:
    note_descriptor(result, fd);
    return 0;
  case SYNC:
    return fd ? sync_us : 0;
  case LISTING:
    return fd ? meta_us : 0;
  case MAPPED:
    return sync_us;
  case LOCK:
    return lock_time(r);
  case CLOSE:
    break;
  }
  return 0;
}

/* Returns whether a call makes a task. The handler lets the program itself make it, because a child
 * would return into this handler. */
static int makes_a_task(int call) {
  return call == SYS_clone || call == SYS_clone3 || call == SYS_fork || call == SYS_vfork;
}

/* Keeps SIGSYS unblocked: the next call would end a thread that blocks it. The handler's return
 * restores the mask in its context. */
static long set_mask(ucontext_t *context, const greg_t *r) {
  uint64_t set = 0, *given = (uint64_t *)(intptr_t)r[REG_RSI];
  if (given) set = *given & ~((uint64_t)1 << (SIGSYS - 1));
  long result = slow_again(SYS_rt_sigprocmask, r[REG_RDI], given ? (long)&set : 0, r[REG_RDX],
                           r[REG_R10], 0, 0);
  slow_again(SYS_rt_sigprocmask, 0, 0, (long)&context->uc_sigmask, 8, 0, 0);
  return result;
}

static void stopped(int signal, siginfo_t *info, void *context) {
  (void)signal;
  greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
  if (info->si_syscall == SYS_rt_sigreturn) {
    r[REG_RIP] = (greg_t)(intptr_t)slow_return;
    return;
  }
  if (info->si_syscall == SYS_rt_sigprocmask) {
    r[REG_RAX] = set_mask(context, r);
    return;
  }
  if (info->si_syscall == SYS_rt_sigaction && r[REG_RDI] == SIGSYS) { /* Fortran's start */
    r[REG_RAX] = 0;
    return;
  }
  if (makes_a_task(info->si_syscall)) {
    stops = SYSCALL_DISPATCH_FILTER_ALLOW;
    r[REG_RAX] = info->si_syscall;
    r[REG_RIP] -= 2;
    return;
  }
  const struct Call *call = calls;
  while (call < calls + CALLS && call->number != (unsigned)info->si_syscall)
    call++;
  int known = call < calls + CALLS;
  if (known && call->kind == CLOSE) note_descriptor(r[REG_RDI], 0);
  long result = slow_again(info->si_syscall, r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10],
                           r[REG_R8], r[REG_R9]);
  if (kind_of(r[REG_RDI])) result = lustre_answer(info->si_syscall, r, kind_of(r[REG_RDI]), result);
  if (known) wait_us(time_of(call, r, result));
  r[REG_RAX] = result;
}

/* Starts to dispatch the system calls of the calling thread, and of no other. Returns 0 or -1. */
static int dispatch(void) {
  struct {
    void (*handler)(int, siginfo_t *, void *);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
  } action = {stopped, SA_SIGINFO | SA_NODEFER | 0x04000000 /* SA_RESTORER */, slow_return, 0};
  if (slow_again(SYS_rt_sigaction, SIGSYS, (long)&action, 0, 8, 0, 0)) return -1;
  return (int)slow_again(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON,
                         (long)slow_begin, slow_end - slow_begin, (long)&stops, 0);
}

/* Resumes dispatching, which the handler has suspended because a task was made. A new process
 * inherits the handler, but not the dispatching, which fork() starts in it. */
static void stop_again(void) {
  uint64_t set = (uint64_t)1 << (SIGSYS - 1);
  if (!dispatched) return;
  slow_again(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&set, 0, 8, 0, 0);
  stops = SYSCALL_DISPATCH_FILTER_BLOCK;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument) {
  static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
  int failed = real(thread, attributes, start, argument);
  stop_again();
  return failed;
}

pid_t fork(void) {
  static pid_t (*real)(void);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "fork");
  pid_t child = real();
  if (child == 0 && dispatched && dispatch()) abort();
  stop_again();
  return child;
}

/* Resumes dispatching after a vfork, which cannot be wrapped: its caller waits for the child. */
pid_t waitpid(pid_t child, int *status, int options) {
  static pid_t (*real)(pid_t, int *, int);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "waitpid");
  pid_t ended = real(child, status, options);
  stop_again();
  return ended;
}

static double number(const char *name) {
  const char *text = getenv(name);
  return text ? strtod(text, NULL) : 0;
}

/* Determines whether this is the slow host, and its factor. */
static void slow_host(void) {
  struct utsname host;
  const char *name = getenv("SLOW_HOST");
  if (!name || uname(&host) || strcmp(host.nodename, name) != 0) return;
  call_us *= number("SLOW_FACTOR"), rate /= number("SLOW_FACTOR");
}

__attribute__((constructor)) static void slow(void) {
  const char *where = getenv("SLOW_FOLDER");
  if (where == NULL || strlen(where) >= sizeof folder) return;
  folder_length = strlen(strcpy(folder, where));
  call_us = number("SLOW_CALL"), meta_us = number("SLOW_META"), sync_us = number("SLOW_SYNC");
  rate = number("SLOW_RATE");
  lock_us = number("SLOW_LOCK"), block = (uint64_t)number("SLOW_BLOCK");
  lustre_start();
  if (rate <= 0) rate = 1e9;
  slow_host();
  prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
  if (dispatch()) abort(); /* without dispatching no call would be slow */
  dispatched = 1;
  stops = SYSCALL_DISPATCH_FILTER_BLOCK;
}
