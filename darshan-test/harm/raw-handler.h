/* Installs a signal handler by a direct system call, so that the runtime does not know the handler
 * and cannot delay its signal until a call is counted. Events in the handler during such a call are
 * dropped. */
#ifndef RAW_HANDLER_H
#define RAW_HANDLER_H

#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#ifdef __x86_64__
__attribute__((naked, used)) static void raw_return(void) {
  __asm__("mov $15, %eax\n\tsyscall"); /* rt_sigreturn */
}
#define RAW_RESTORER 0x04000000UL, raw_return
#else
#define RAW_RESTORER 0UL, 0 /* the kernel's own */
#endif

/* Installs a signal handler for the signal `number`. Returns 0, or -1 with errno set. */
static inline int raw_handler(int number, void (*handler)(int)) {
  const struct {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    unsigned long mask;
  } action = {handler, RAW_RESTORER, 0};
  return (int)syscall(SYS_rt_sigaction, number, &action, (void *)0, sizeof(action.mask));
}

/* Begins to send SIGALRM every 30 microseconds to this handler. Returns 0, or -1 with errno set. */
static inline int raw_alarms_begin(void (*handler)(int)) {
  const struct itimerval timer = {{0, 30}, {0, 30}};
  if (raw_handler(SIGALRM, handler)) return -1;
  return setitimer(ITIMER_REAL, &timer, (void *)0);
}

/* Stops the signals. The handler stays installed. */
static inline void raw_alarms_end(void) {
  const struct itimerval off = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &off, (void *)0);
}

#endif
