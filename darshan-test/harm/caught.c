/* One thread installs a seccomp filter while the first open of another thread is being recorded,
 * then needs the locks that the other thread holds: caught thread|all. With `thread` the filter
 * applies to the thread that installs it, with `all` to every thread. */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

static const int allowed[] = {SYS_write,  SYS_exit_group,     SYS_exit,     SYS_close,
                              SYS_openat, SYS_futex,          SYS_madvise,  SYS_fcntl,
                              SYS_munmap, SYS_rt_sigprocmask, SYS_mprotect, SYS_clock_nanosleep};
static pthread_barrier_t start;

/* Installs a filter for this thread, or for all threads, that permits the calls in `allowed` and
 * kills the process at others. Returns 0 or -1. */
static int lock_up(int all) {
  struct sock_filter code[32] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
  size_t at = 1, n = COUNT(allowed);
  for (size_t i = 0; i < n; i++)
    code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)allowed[i],
                                              (unsigned char)(n - i), 0);
  code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = {(unsigned short)at, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return -1;
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, all ? SECCOMP_FILTER_FLAG_TSYNC : 0,
                      &program);
}

/* Writes a file and says how many signals it finds blocked and how many files open. Returns NULL if
 * something failed. */
static void *work(void *nothing) {
  char line[80];
  sigset_t mask;
  int open_ones = 0, blocked = 0;
  pthread_barrier_wait(&start);
  int fd = open("file", O_CREAT | O_WRONLY, 0644);
  if (fd < 0 || write(fd, "0123456789", 10) != 10 || close(fd) != 0) return nothing;
  pthread_sigmask(SIG_BLOCK, NULL, &mask);
  for (int i = 1; i < 32; i++)
    blocked += sigismember(&mask, i);
  for (int i = 3; i < 100; i++)
    open_ones += fcntl(i, F_GETFD) >= 0;
  int n = snprintf(line, sizeof(line), "%d signals blocked, %d files open\n", blocked, open_ones);
  if (write(1, line, (size_t)n) != n) return nothing;
  return &start;
}

int main(int argc, char **argv) {
  pthread_t thread;
  void *done;
  pthread_barrier_init(&start, NULL, 2);
  pthread_create(&thread, NULL, work, NULL);
  pthread_barrier_wait(&start);
  usleep(100000);
  if (lock_up(argc > 1 && strcmp(argv[1], "all") == 0)) return 2;
  pthread_join(thread, &done);
  if (!done) return 3;
  _exit(7);
}
