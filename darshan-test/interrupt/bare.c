/* A preloaded library that takes the runtime's place: it performs the same action in a function of
 * libc that a library calls during the program's one call. An error is then the library's own,
 * because the process does not contain the runtime. */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/types.h>
#include <ucontext.h>
#include <unistd.h>

static volatile sig_atomic_t armed;

/* Handles the int3 signals of target.c: notes whether the call that is tested is in progress. The
 * number in RAX is 1 before the call, and 2 after it. */
static void at_mark(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info;
  armed = ((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] == 1;
}

__attribute__((constructor)) static void begin(void) {
  struct sigaction act = {.sa_sigaction = at_mark, .sa_flags = SA_SIGINFO};
  sigaction(SIGTRAP, &act, NULL);
}

static void happen(void) {
  if (!armed) return;
  armed = 0;
  pthread_kill(pthread_self(), SIGUSR1);
}

#define PWRITE(name)                                                                               \
  ssize_t name(int fd, const void *memory, size_t n, off_t at) {                                   \
    static ssize_t (*real)(int, const void *, size_t, off_t);                                      \
    if (!real) real = (ssize_t(*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, #name);       \
    happen();                                                                                      \
    return real(fd, memory, n, at);                                                                \
  }
PWRITE(pwrite)
PWRITE(pwrite64)

long syscall(long number, ...) {
  static long (*real)(long, ...);
  long argument[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; i++)
    argument[i] = va_arg(list, long);
  va_end(list);
  if (!real) real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  happen();
  return real(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}
