/* Installs a seccomp filter in itself, and continues with its I/O: `cage WAY WHAT`. Or installs one
 * and then executes a program: `cage WAY launch [+]PROGRAM...`, with + in a child process.
 *
 * WAY, for the first form: prctl, seccomp and tsync (for all threads) kill the process at other
 * calls; errno and trap make such calls fail or raise SIGSYS; strict is the kernel's strict mode;
 * failed only tries to install a filter. WAY, for launch: loader and forks permit few calls and
 * kill at others; container and engine forbid a few calls.
 *
 * WHAT is done behind the filter: write (to a file that is open), exit2 (ends by _exit), files,
 * fork, vfork, threads, unwritten (a first write to an open file), or first (the filter comes
 * before any I/O). */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(list) (sizeof(list) / sizeof(*(list)))
#define PUT(text) put(text, sizeof(text) - 1)

/* Writes n bytes to the standard output, without stdio. */
static void put(const char *text, size_t n) {
  if (write(1, text, n) < 0) abort();
}

/* System calls that this program itself makes after it installed the filter. */
static const int own[] = {SYS_write, SYS_exit_group, SYS_exit, SYS_rt_sigreturn, SYS_close};
static const int files[] = {SYS_write, SYS_exit_group, SYS_exit, SYS_close, SYS_openat};
static const int children[] = {SYS_write,  SYS_exit_group, SYS_close,         SYS_clone,
                               SYS_wait4,  SYS_vfork,      SYS_execve,        SYS_set_robust_list,
                               SYS_gettid, SYS_openat,     SYS_rt_sigprocmask};
static const int threads[] = {SYS_write,          SYS_exit_group, SYS_exit,    SYS_close,
                              SYS_openat,         SYS_futex,      SYS_madvise, SYS_mprotect,
                              SYS_rt_sigprocmask, SYS_munmap};
/* System calls of the loader and of the start of a C library. */
static const int loader[] = {
    SYS_execve,          SYS_brk,       SYS_arch_prctl, SYS_mmap,
    SYS_access,          SYS_openat,    SYS_newfstatat, SYS_fstat,
    SYS_pread64,         SYS_close,     SYS_read,       SYS_mprotect,
    SYS_munmap,          SYS_write,     SYS_rseq,       SYS_prlimit64,
    SYS_set_tid_address, SYS_getrandom, SYS_exit_group, SYS_set_robust_list};
/* System calls of the loader, of the start of a C library, and of a program that makes children. */
static const int forks[] = {
    SYS_execve,    SYS_brk,       SYS_arch_prctl,      SYS_mmap,         SYS_access,
    SYS_openat,    SYS_fstat,     SYS_newfstatat,      SYS_pread64,      SYS_close,
    SYS_read,      SYS_mprotect,  SYS_munmap,          SYS_write,        SYS_rseq,
    SYS_prlimit64, SYS_getrandom, SYS_set_tid_address, SYS_exit_group,   SYS_set_robust_list,
    SYS_clone,     SYS_wait4,     SYS_prctl,           SYS_rt_sigaction, SYS_rt_sigprocmask,
    SYS_gettid,    SYS_getpid,    SYS_tgkill,          SYS_kill};
/* A few system calls that the runtime of containers forbids. */
static const int forbidden[] = {
    SYS_acct,         SYS_add_key,     SYS_bpf,        SYS_init_module,
    SYS_kexec_load,   SYS_mount,       SYS_pivot_root, SYS_ptrace,
    SYS_reboot,       SYS_setns,       SYS_swapon,     SYS_umount2,
    SYS_unshare,      SYS_userfaultfd, SYS_keyctl,     SYS_open_by_handle_at,
    SYS_settimeofday, SYS_syslog,      SYS_iopl,       SYS_perf_event_open};

/* Installs a seccomp filter. way: the system call that installs it. known: what the filter returns
 * for the n calls in `list`. other: what it returns for all others. Returns 0 or -1. */
static int install(const char *way, const int *list, size_t n, unsigned known, unsigned other) {
  struct sock_filter code[64] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
  size_t at = 1;
  for (size_t i = 0; i < n; i++)
    code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)list[i],
                                              (unsigned char)(n - i), 0);
  code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, other);
  code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, known);
  struct sock_fprog program = {(unsigned short)at, code};
  if (strcmp(way, "engine") != 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return -1;
  if (strcmp(way, "seccomp") == 0 || strcmp(way, "tsync") == 0)
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                        way[0] == 't' ? SECCOMP_FILTER_FLAG_TSYNC : 0, &program);
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

/* Installs what `way` names (see the head of this file). list: the n permitted calls. Returns 0 or
 * -1; for "failed", 0 if the kernel refused the filter. */
static int lock_up(const char *way, const int *list, size_t n) {
  unsigned other = strcmp(way, "errno") == 0  ? SECCOMP_RET_ERRNO | EACCES
                   : strcmp(way, "trap") == 0 ? SECCOMP_RET_TRAP
                                              : SECCOMP_RET_KILL_PROCESS;
  if (strcmp(way, "strict") == 0) return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0);
  if (strcmp(way, "failed") == 0) {
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL, 0, 0) == 0) return -1;
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL) == -1 ? 0 : -1;
  }
  return install(way, list, n, SECCOMP_RET_ALLOW, other);
}

/* Says that a call raised SIGSYS, and lets the program continue. */
static void on_sigsys(int number) {
  (void)number;
  PUT("SIGSYS\n");
}

/* Writes 10 bytes to a file, `times` times. */
static void write_many(int fd, int times) {
  for (int i = 0; i < times; i++)
    if (write(fd, "0123456789", 10) != 10) PUT("short\n");
}

/* Makes the files f<first> to f<last - 1> with 10 bytes each. */
static void make_files(int first, int last) {
  char name[16];
  for (int i = first; i < last; i++) {
    snprintf(name, sizeof(name), "f%d", i);
    int fd = open(name, O_CREAT | O_WRONLY, 0644);
    if (fd < 0) PUT("not opened\n");
    write_many(fd, 1);
    close(fd);
  }
}

struct job {
  const char *way;
  pthread_barrier_t *start;
  int number;
};

/* Makes 300 files as one of the threads; the first one installs the filter before that. */
static void *work(void *argument) {
  const struct job *job = argument;
  pthread_barrier_wait(job->start);
  if (job->number == 0 && lock_up(job->way, threads, COUNT(threads))) PUT("no filter\n");
  make_files(1000 * job->number, 1000 * job->number + 300);
  return NULL;
}

/* Starts four threads that make files; one of them installs the filter for all. */
static void run_threads(const char *way) {
  enum { THREADS = 4 };
  pthread_t thread[THREADS];
  struct job job[THREADS];
  pthread_barrier_t start;
  pthread_barrier_init(&start, NULL, THREADS);
  for (int i = 0; i < THREADS; i++) {
    job[i] = (struct job){way, &start, i};
    pthread_create(&thread[i], NULL, work, &job[i]);
  }
  for (int i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
}

/* Starts three children one after the other, by vfork (with a program that does not exist) or by
 * fork (the child writes to fd); writes to fd after each. */
static void run_children(int fd, int by_vfork) {
  for (int i = 0; i < 3; i++) {
    pid_t child = by_vfork ? vfork() : fork();
    if (child == 0) {
      if (by_vfork) {
        execl("/missing", "missing", (char *)NULL);
        _exit(3);
      }
      write_many(fd, 1);
      _exit(3);
    }
    int status;
    if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 3) PUT("child\n");
    write_many(fd, 100);
  }
  make_files(0, 3);
}

/* Runs a command in a child, as a shell in a container does. Returns its exit status, or 128 plus
 * the signal that ended it. */
static int launch_child(char **command) {
  pid_t child = fork();
  int status;
  if (child == 0) {
    execv(command[0], command);
    _exit(2);
  }
  if (waitpid(child, &status, 0) != child) return 2;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Installs the filter `way` and executes the command; in a child process if the command begins with
 * "+". Returns the child's status, or 2 if something failed. */
static int launch(const char *way, char **command) {
  int child = command[0][0] == '+'; /* +PROGRAM */
  command[0] += child;
  if (strcmp(way, "forks") == 0) {
    if (install(way, forks, COUNT(forks), SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS)) return 2;
  } else if (strcmp(way, "container") == 0 || strcmp(way, "engine") == 0) {
    if (install(way, forbidden, COUNT(forbidden), SECCOMP_RET_ERRNO | EPERM, SECCOMP_RET_ALLOW))
      return 2;
  } else if (install(way, loader, COUNT(loader), SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS)) {
    return 2;
  }
  if (child) return launch_child(command);
  execv(command[0], command);
  return 2;
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  const char *way = argv[1], *what = argv[2];
  if (strcmp(what, "launch") == 0) {
    if (getenv("PRELOAD")) setenv("LD_PRELOAD", getenv("PRELOAD"), 1);
    return launch(way, argv + 3);
  }
  signal(SIGSYS, on_sigsys);
  if (strcmp(what, "first") == 0) { /* nothing was recorded before the filter came */
    if (lock_up(way, files, COUNT(files))) return 2;
    make_files(0, 500);
    PUT("done\n");
    return 7;
  }
  int fd = open("before", O_CREAT | O_WRONLY, 0644);
  int unwritten = strcmp(what, "unwritten") == 0 ? open(what, O_CREAT | O_WRONLY, 0644) : -1;
  write_many(fd, 5);
  int failed = 0;
  if (strcmp(what, "threads") == 0)
    run_threads(way);
  else if (strcmp(what, "files") == 0)
    failed = lock_up(way, files, COUNT(files)), make_files(0, 3000);
  else if (strcmp(what, "fork") == 0 || strcmp(what, "vfork") == 0)
    failed = lock_up(way, children, COUNT(children)), run_children(fd, what[0] == 'v');
  else
    failed = lock_up(way, own, COUNT(own));
  if (failed) PUT("no filter\n");
  write_many(fd, 1000);
  if (unwritten >= 0) write_many(unwritten, 1);
  PUT("done\n");
  if (strcmp(way, "strict") == 0) syscall(SYS_exit, 7);
  close(fd);
  if (strcmp(what, "exit2") == 0) _exit(7);
  exit(7);
}
