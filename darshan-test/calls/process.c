/* Cases for how a process creates processes, runs another program, and ends. Expected counts are
 * sums over the logs of all processes. */
#include "calls.h"

#include <dlfcn.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int new_file(const char *path) {
  int fd = C(open(path, O_CREAT | O_RDWR, 0644));
  CHECK(fd >= 0);
  model_open(path, 0644);
  CHECK(C(write(fd, buffer, 100)) == 100);
  model_write(path, 100, buffer);
  return fd;
}

static void count_write(int fd, const char *path) {
  CHECK(C(write(fd, buffer, 100)) == 100);
  model_write(path, 100, buffer);
}

/* The process ends without destructors and must still leave a log. */
#define END_CASE(name, call)                                                                       \
  CASE(name) {                                                                                     \
    new_file(in_dir("file"));                                                                      \
    finish();                                                                                      \
    call;                                                                                          \
  }
END_CASE(_exit, _exit(0))
END_CASE(_Exit, _Exit(0))

/* quick_exit has no wrapper; the runtime's handler for it runs after all others. */
SCENARIO(quick_exit) {
  new_file(in_dir("file"));
  finish();
  quick_exit(0);
}

/* Tests dlopen: a name without a folder is searched in the RUNPATH of this program, not of the
 * runtime. A failure has an error message. Calls of a library opened with RTLD_DEEPBIND bypass the
 * wrappers. */
CASE(dlopen) {
  CHECK(dlopen("nothing.so", RTLD_NOW | RTLD_DEEPBIND) == NULL && strstr(dlerror(), "nothing.so"));
  void *library = dlopen("plugin.so", RTLD_NOW | RTLD_DEEPBIND);
  CHECK(library != NULL);
  int (*unseen)(const char *) = (int (*)(const char *))dlsym(library, "plugin_write");
  CHECK(unseen && unseen(in_dir("unseen")) == 0);
  new_file(in_dir("file"));
}

/* A library that the application closes is unloaded, although dlclose has a wrapper. */
CASE(dlclose) {
  new_file(in_dir("file"));
  void *library = dlopen("plugin.so", RTLD_NOW | RTLD_LOCAL);
  CHECK(library != NULL);
  CHECK(C(dlclose(library)) == 0);
  CHECK(dlopen("plugin.so", RTLD_NOW | RTLD_NOLOAD) == NULL);
}

/* The target of jumps from the case itself and from a signal handler, which interrupts no code of
 * the runtime. A write after each jump must be counted. */
static jmp_buf jump_back;

#define JUMP_CASE(name)                                                                            \
  static void handler_##name(int signal) {                                                         \
    (void)signal;                                                                                  \
    name(jump_back, 2);                                                                            \
  }                                                                                                \
  CASE(name) {                                                                                     \
    const char *path = in_dir("file");                                                             \
    int fd = new_file(path);                                                                       \
    int come = setjmp(jump_back);                                                                  \
    if (come == 0) name(jump_back, 1);                                                             \
    count_write(fd, path);                                                                         \
    if (come == 1) {                                                                               \
      CHECK(signal(SIGUSR1, handler_##name) == SIG_DFL);                                           \
      raise(SIGUSR1);                                                                              \
    }                                                                                              \
    CHECK(come == 2);                                                                              \
  }
extern void __longjmp_chk(jmp_buf env, int value) __attribute__((noreturn));
JUMP_CASE(longjmp)
JUMP_CASE(_longjmp)
JUMP_CASE(siglongjmp)
JUMP_CASE(__longjmp_chk)

/* Calls that install a filter have tests of their own; here the other calls must pass. */
CASE(prctl) {
  int fd = new_file(in_dir("file"));
  CHECK(C(prctl(PR_GET_DUMPABLE)) >= 0);
  CHECK(C(prctl(PR_SET_SECCOMP, 99)) == -1);
  count_write(fd, in_dir("file"));
}

/* Ends by abort, which has no wrapper; the journal has all records. */
SCENARIO(abort) {
  new_file(in_dir("file"));
  finish();
  abort();
}

/* The child writes to a file of its own and to an inherited file. */
CASE(fork) {
  const char *shared = in_dir("shared"), *own = in_dir("own");
  int fd = new_file(shared);
  pid_t child = fork();
  if (child == 0) {
    int mine = open(own, O_CREAT | O_RDWR, 0600);
    bool good = pwrite(fd, buffer, 50, 4096) == 50 && write(mine, buffer, 70) == 70;
    exit(good ? 0 : 1);
  }
  reap(child, 0);
  model_pwrite(shared, 4096, 50, buffer);
  model_open(own, 0600);
  model_write(own, 70, buffer);
  /* One record does not know the order of the child's first and the parent's last write. */
  static const char *const order[] = {
      "POSIX_SEQ_WRITES",     "POSIX_CONSEC_WRITES",  "POSIX_STRIDE1_STRIDE",
      "POSIX_STRIDE1_COUNT",  "POSIX_ACCESS1_ACCESS", "POSIX_ACCESS1_COUNT",
      "POSIX_ACCESS2_ACCESS", "POSIX_ACCESS2_COUNT",  "POSIX_MAX_WRITE_TIME_SIZE"};
  for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
    expect_any(shared, order[i]);
}

/* The words of the program `true`, which the cases start. */
static char true_name[] = "true";
static char *const true_words[] = {true_name, NULL};
/* Creates a file before or after the start of another program, which must not disturb the records
 * of this process. */
static void records_on(const char *path) {
  int fd = new_file(path);
  CHECK(C(close(fd)) == 0);
  model_close(path);
}
#define SPAWN_CASE(name, program)                                                                  \
  CASE(name) {                                                                                     \
    pid_t pid = 0;                                                                                 \
    records_on(in_dir("before"));                                                                  \
    CHECK(name(&pid, program, NULL, NULL, true_words, environ) == 0 && pid > 0);                   \
    reap(pid, 0);                                                                                  \
    CHECK(name(&pid, "/no/such/program", NULL, NULL, true_words, environ) == ENOENT);              \
    records_on(in_dir("after"));                                                                   \
  }
SPAWN_CASE(posix_spawn, "/bin/true")
SPAWN_CASE(posix_spawnp, "true")

CASE(system) {
  records_on(in_dir("before"));
  CHECK(WEXITSTATUS(system("exit 7")) == 7);
  expect_any(OTHER_PATHS, "POSIX_EXT_FOLDER_STATS"); /* of the shell */
  records_on(in_dir("after"));
}

CASE(popen) {
  char word[8] = "";
  records_on(in_dir("before"));
  FILE *pipe = popen("echo word", "r");
  CHECK(pipe && read(fileno(pipe), word, 5) == 5 && memcmp(word, "word\n", 5) == 0);
  CHECK(pclose(pipe) == 0);
  expect_any(OTHER_PATHS, "POSIX_EXT_FOLDER_STATS"); /* of the shell */
  records_on(in_dir("after"));
}

static pid_t ends_with(int status) {
  pid_t child = fork();
  if (child == 0) _exit(status);
  return child;
}
/* Waits with and without a status argument, and makes a call that fails. */
#define WAIT_CASE(name, with, without)                                                             \
  CASE(name) {                                                                                     \
    int status = 0;                                                                                \
    struct rusage usage;                                                                           \
    (void)usage;                                                                                   \
    records_on(in_dir("before"));                                                                  \
    pid_t child = ends_with(5);                                                                    \
    CHECK(with == child && WEXITSTATUS(status) == 5);                                              \
    child = ends_with(6);                                                                          \
    CHECK(without == child);                                                                       \
    CHECK(without == -1 && errno == ECHILD);                                                       \
    records_on(in_dir("after"));                                                                   \
  }
WAIT_CASE(wait, wait(&status), wait(NULL))
WAIT_CASE(waitpid, waitpid(child, &status, 0), waitpid(-1, NULL, 0))
WAIT_CASE(wait3, wait3(&status, 0, &usage), wait3(NULL, 0, NULL))
WAIT_CASE(wait4, wait4(child, &status, 0, &usage), wait4(-1, NULL, 0, NULL))

CASE(waitid) {
  siginfo_t what;
  records_on(in_dir("before"));
  pid_t child = ends_with(5);
  CHECK(waitid(P_PID, (id_t)child, &what, WEXITED | WNOWAIT) == 0 && what.si_status == 5);
  CHECK(waitid(P_PID, (id_t)child, &what, WEXITED) == 0 && what.si_pid == child);
  child = ends_with(6);
  CHECK(waitid(P_ALL, 0, NULL, WEXITED) == 0);
  CHECK(waitid(P_ALL, 0, NULL, WEXITED) == -1 && errno == ECHILD);
  records_on(in_dir("after"));
}

/* Calls daemon: the parent ends inside libc, and the child continues. */
CASE(daemon) {
  int fd = new_file(in_dir("before"));
  CHECK(C(close(fd)) == 0);
  model_close(in_dir("before"));
  CHECK(C(daemon(1, 1)) == 0);
  new_file(in_dir("after"));
}

/* The child of vfork runs in the parent's memory; a descriptor that it closes stays open in the
 * parent. */
CASE(vfork) {
  const char *path = in_dir("file");
  int fd = new_file(path);
  pid_t child = vfork();
  if (child == 0) {
    close(fd);
    _exit(0);
  }
  reap(child, 0);
  for (int i = 0; i < 9; i++)
    count_write(fd, path);
}

/* Closes the descriptor that fd points to, in a child of clone with CLONE_VM and a separate stack.
 * */
static int closes(void *fd) {
  _exit(close(*(int *)fd));
}
#define CLONE_CASE(name)                                                                           \
  CASE(name) {                                                                                     \
    static char stack[1 << 16] __attribute__((aligned(64)));                                       \
    const char *path = in_dir("file");                                                             \
    int fd = new_file(path);                                                                       \
    reap(name(closes, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &fd), 0);            \
    count_write(fd, path);                                                                         \
    reap(name(closes, stack + sizeof stack, CLONE_VM | SIGCHLD, &fd), 0);                          \
    count_write(fd, path);                                                                         \
    CHECK(C(name(closes, NULL, CLONE_VM | SIGCHLD, &fd)) == -1 && errno == EINVAL);                \
    count_write(fd, path);                                                                         \
  }
OPTIONAL_SYMBOL extern int __clone(int (*)(void *), void *, int, void *, ...);
CLONE_CASE(clone)
CLONE_CASE(__clone)

static char self[512];
static char *const nothing[] = {self, (char *)"--nothing", NULL};
extern char **environ;

/* A failed exec changes nothing; the next exec succeeds and must not lose the log. */
#define EXEC_CASE(name, call)                                                                      \
  CASE(name) {                                                                                     \
    const char *path = in_dir("file");                                                             \
    int fd = new_file(path);                                                                       \
    const char *program = in_dir("missing");                                                       \
    int binary = -1;                                                                               \
    (void)program, (void)binary;                                                                   \
    CHECK(C(call) == -1);                                                                          \
    count_write(fd, path);                                                                         \
    CHECK(sys_readlink("/proc/self/exe", self, sizeof self - 1) > 0);                              \
    program = self;                                                                                \
    binary = sys_open(self, O_RDONLY, 0);                                                          \
    finish();                                                                                      \
    call;                                                                                          \
    failed(__FILE__, __LINE__, #name " came back");                                                \
  }
EXEC_CASE(execve, execve(program, nothing, environ))
EXEC_CASE(execv, execv(program, nothing))
EXEC_CASE(execvp, execvp(program, nothing))
EXEC_CASE(execvpe, execvpe(program, nothing, environ))
EXEC_CASE(execl, execl(program, program, "--nothing", (char *)NULL))
EXEC_CASE(execle, execle(program, program, "--nothing", (char *)NULL, environ))
EXEC_CASE(execlp, execlp(program, program, "--nothing", (char *)NULL))
EXEC_CASE(fexecve, fexecve(binary, nothing, environ))
EXEC_CASE(execveat, execveat(AT_FDCWD, program, nothing, environ, 0))

/* The new program is not instrumented; the old program's log is written nevertheless. */
SCENARIO(exec_without_environment) {
  new_file(in_dir("file"));
  CHECK(sys_readlink("/proc/self/exe", self, sizeof self - 1) > 0);
  finish();
  execve(self, nothing, (char *[]){NULL});
  failed(__FILE__, __LINE__, "execve came back");
}

/* vfork and exec, as shells and interpreters start programs. */
SCENARIO(vfork_and_exec) {
  const char *path = in_dir("file");
  int fd = new_file(path);
  CHECK(sys_readlink("/proc/self/exe", self, sizeof self - 1) > 0);
  for (int i = 0; i < 5; i++) {
    pid_t child = vfork();
    if (child == 0) {
      dup2(fd, 1);
      close(fd);
      execv(self, nothing);
      _exit(1);
    }
    reap(child, 0);
    count_write(fd, path);
  }
}

/* Like vfork_and_exec, but a first exec fails. */
SCENARIO(vfork_and_failed_exec) {
  const char *path = in_dir("file");
  int fd = new_file(path);
  pid_t child = vfork();
  if (child == 0) {
    execv("missing", nothing);
    _exit(3);
  }
  reap(child, 3);
  count_write(fd, path);
}

/* A tree of processes: each counts its own calls. */
SCENARIO(fork_tree) {
  const char *path = in_dir("file");
  int fd = new_file(path);
  pid_t child = fork();
  if (child == 0) {
    CHECK(pwrite(fd, buffer, 10, 0) == 10);
    pid_t grandchild = fork();
    if (grandchild == 0) {
      CHECK(pwrite(fd, buffer, 10, 0) == 10);
      _exit(0);
    }
    reap(grandchild, 0);
    exit(0);
  }
  reap(child, 0);
  CHECK(pwrite(fd, buffer, 10, 0) == 10);
  expect_nothing_about(path);
  expect_sum("POSIX_BYTES_WRITTEN", 130);
  expect_sum("POSIX_WRITES", 4);
  expect_sum("POSIX_OPENS", 1);
}
