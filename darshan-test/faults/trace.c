/* Traces a program with ptrace. A system call is the runtime's own if the instruction is in the
 * runtime's code; all others are the program's. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "faults.h"

#if !defined(__x86_64__)
#error "the harness knows registers of x86-64 only"
#endif

enum { MOST_THREADS = 64 };
struct thread {
  pid_t id;             /* 0: unused slot */
  int watched, counted; /* it runs the program; its calls are counted */
  int struck;
  unsigned long code[2], length; /* the runtime's code; the requested size of a call made short */
  double held;                   /* time until which the thread is held; 0: not held */
};
struct tracer {
  struct thread thread[MOST_THREADS];
  const struct place *place;
  struct run *run;
  struct fault *fault;
  const struct program *program;
  unsigned seen; /* calls of the kind that must fail */
  pid_t first;
};

/* Returns the time in seconds from an arbitrary start. */
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Writes the words of the MPI launcher, with `env` and the variables of envp for the ranks, to
 * argv. Returns their number; 0 for a program without MPI. */
static int launch(const struct program *program, char *argv[], char *envp[]) {
  static char *const mpich[] = {"/usr/bin/mpiexec.mpich", "-n", "2", "/usr/bin/env", NULL};
  static char *const openmpi[] = {"/usr/bin/mpiexec.openmpi",
                                  "--oversubscribe",
                                  "--mca",
                                  "btl",
                                  "^tcp",
                                  "--mca",
                                  "btl_vader_single_copy_mechanism",
                                  "none",
                                  "-n",
                                  "2",
                                  "/usr/bin/env",
                                  NULL};
  int n = 0;
  if (!is_job(program)) return 0;
  for (char *const *word = strcmp(program->with, "mpich") == 0 ? mpich : openmpi; *word; word++)
    argv[n++] = *word;
  for (; *envp; envp++)
    argv[n++] = *envp;
  return n;
}

/* Becomes the program, under ptrace, with the settings of a test. bare: without the runtime. Does
 * not return. */
static void become_program(const struct place *place, const struct program *program, int bare) {
  char preload[PATH_MAX + 16], logs[PATH_MAX + 32], journals[PATH_MAX + 32];
  snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", bare ? "" : place->runtime);
  snprintf(logs, sizeof(logs), "DARSHAN_LOGPATH=%s", place->logs);
  snprintf(journals, sizeof(journals), "DARSHAN_MMAP_LOGPATH=%s", place->journals);
  char on[] = "DARSHAN_ENABLE_NONMPI=1", path[] = "PATH=/usr/bin:/bin";
  char root[] = "OMPI_ALLOW_RUN_AS_ROOT=1", sure[] = "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1";
  char *argv[32] = {NULL}, *own[] = {path, root, sure, NULL};
  char *envp[8] = {preload, logs, journals, path};
  int n = 4;
  if (program->setting[0]) envp[n++] = (char *)program->setting;
  if (!is_job(program)) envp[n++] = on; /* jobs need no such setting */
  n = launch(program, argv, envp);
  argv[n] = (char *)place->program;
  argv[n + 1] = (char *)program->mode;
  setpgid(0, 0);
  personality(ADDR_NO_RANDOMIZE);
  if (chdir(place->work) < 0) _exit(120);
  int out = open("data", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  int err = open("stderr", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0) _exit(121);
  ptrace(PTRACE_TRACEME, 0, NULL, NULL);
  execve(argv[0], argv, n ? own : envp);
  _exit(122);
}

/* Does nothing; a signal with a handler interrupts waitpid. */
static void rang(int signal) {
  (void)signal;
}

/* Starts (on 1) or stops (0) a SIGALRM every 20 ms, which interrupts waitpid, so that threads that
 * are held for a delay continue and hangs are detected. */
static void tick(int on) {
  struct itimerval timer = {{0, on ? 20000 : 0}, {0, on ? 20000 : 0}};
  struct sigaction act = {.sa_handler = rang};
  sigaction(SIGALRM, &act, NULL);
  setitimer(ITIMER_REAL, &timer, NULL);
}

/* Returns 1 if the process runs the program under test, otherwise 0. Launchers run untraced: they
 * make many calls, and none of the runtime's. */
static int is_program(const struct tracer *tracer, pid_t id) {
  char path[64];
  struct stat is, program;
  snprintf(path, sizeof(path), "/proc/%d/exe", (int)id);
  return stat(path, &is) == 0 && stat(tracer->place->program, &program) == 0 &&
         is.st_dev == program.st_dev && is.st_ino == program.st_ino;
}

/* Returns the entry of a thread; NULL if there is none. make: whether to create a missing entry. */
static struct thread *thread_of(struct tracer *tracer, pid_t id, int make) {
  struct thread *unused = NULL;
  for (int i = 0; i < MOST_THREADS; i++) {
    if (tracer->thread[i].id == id) return &tracer->thread[i];
    if (!tracer->thread[i].id) unused = &tracer->thread[i];
  }
  if (!make || !unused) return NULL;
  *unused = (struct thread){.id = id, .watched = is_program(tracer, id)};
  return unused;
}

/* Returns 1 if a process is this rank of its job, otherwise 0. */
static int is_rank(pid_t id, int rank) {
  static char text[1 << 16];
  char path[64], mpich[32], openmpi[48];
  snprintf(path, sizeof(path), "/proc/%d/environ", (int)id);
  snprintf(mpich, sizeof(mpich), "PMI_RANK=%d", rank);
  snprintf(openmpi, sizeof(openmpi), "OMPI_COMM_WORLD_RANK=%d", rank);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
  if (fd >= 0) close(fd);
  text[n < 0 ? 0 : n] = '\0';
  for (const char *at = text; at < text + n; at += strlen(at) + 1)
    if (strcmp(at, mpich) == 0 || strcmp(at, openmpi) == 0) return 1;
  return 0;
}

/* Finds the runtime's code in a thread's process, once it is loaded, and whether the thread's calls
 * are counted. */
static void find_code(struct thread *thread, const struct tracer *tracer) {
  const struct place *place = tracer->place;
  struct process process = {.pid = thread->id};
  uint64_t range[2];
  if (process_code(&process, place->runtime, range) < 0) return;
  thread->code[0] = range[0];
  thread->code[1] = range[1];
  thread->counted = !is_job(tracer->program) || is_rank(thread->id, tracer->program->rank);
}

/* Returns 1 for system calls that the runtime makes for the program, otherwise 0. */
static int is_programs(long call) {
  switch (call) { /* the runtime makes them for the program */
  case SYS_vfork:
  case SYS_fork:
  case SYS_clone:
  case SYS_clone3:
  case SYS_execve:
  case SYS_execveat:
  case SYS_exit:
  case SYS_exit_group:
  case SYS_rt_sigreturn:
    return 1;
  default:
    return 0;
  }
}

/* Applies the fault to the system call before which the thread has stopped, by changing its
 * registers. Returns 1 if the fault is a delay, for which the thread stays stopped, otherwise 0. */
static int strike(struct thread *thread, struct fault *fault, struct user_regs_struct *regs) {
  fault->call = (long)regs->orig_rax;
  fault->at = (unsigned)(regs->rip - thread->code[0]);
  if (fault->error == DELAYED) {
    thread->held = now() + fault->wait / 1e3;
    return 1;
  }
  thread->struck = 1;
  thread->length = regs->rdx;
  if (fault->error == NOTHING)
    regs->rdx = 0;
  else if (fault->error == SHORT && regs->rdx > 1)
    regs->rdx /= 2;
  else if (fault->error != SHORT && regs->orig_rax != SYS_close) /* a failing close still closes */
    regs->orig_rax = (unsigned long long)-1;
  ptrace(PTRACE_SETREGS, thread->id, NULL, regs);
  return 0;
}

/* Counts a system call at its start, and applies the fault if this is the call. Returns 1 if the
 * thread must remain stopped, otherwise 0. */
static int on_entry(struct tracer *tracer, struct thread *thread,
                    const struct __ptrace_syscall_info *info) {
  struct user_regs_struct regs;
  struct run *run = tracer->run;
  if (!thread->code[1]) find_code(thread, tracer);
  if (info->instruction_pointer < thread->code[0] || info->instruction_pointer >= thread->code[1])
    return 0;
  if (is_programs((long)info->entry.nr) || !thread->counted) return 0;
  if (run->calls < MOST_CALLS) run->call[run->calls] = (long)info->entry.nr;
  run->calls++;
  if (tracer->fault->expected != (long)info->entry.nr || ++tracer->seen < tracer->fault->turn)
    return 0;
  if (tracer->seen > tracer->fault->turn && !tracer->fault->lasting) return 0;
  ptrace(PTRACE_GETREGS, thread->id, NULL, &regs);
  return strike(thread, tracer->fault, &regs);
}

/* Gives a call that was changed the result of the fault. */
static void on_exit_of_call(const struct tracer *tracer, struct thread *thread) {
  struct user_regs_struct regs;
  if (!thread->struck) return;
  thread->struck = 0;
  ptrace(PTRACE_GETREGS, thread->id, NULL, &regs);
  regs.rdx = thread->length;
  if (tracer->fault->error > 0) regs.rax = (unsigned long long)-tracer->fault->error;
  ptrace(PTRACE_SETREGS, thread->id, NULL, &regs);
}

/* Lets a thread continue, with a signal; 0: without one. */
static void go_on(const struct thread *thread, int signal) {
  ptrace(thread->watched ? PTRACE_SYSCALL : PTRACE_CONT, thread->id, NULL, (long)signal);
}

/* Handles a stop of a thread and lets it continue, unless the fault is a delay. status: as of
 * waitpid. */
static void on_stop(struct tracer *tracer, struct thread *thread, int status) {
  int signal = WSTOPSIG(status), event = status >> 16, held = 0;
  if (signal == (SIGTRAP | 0x80)) {
    struct __ptrace_syscall_info info = {0};
    ptrace(PTRACE_GET_SYSCALL_INFO, thread->id, sizeof(info), &info);
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
      held = on_entry(tracer, thread, &info);
    else
      on_exit_of_call(tracer, thread);
    signal = 0;
  } else if (event) {
    /* After an exec, one thread remains; its id is the pid. */
    if (event == PTRACE_EVENT_EXEC) {
      thread->code[0] = thread->code[1] = 0;
      thread->watched = is_program(tracer, thread->id);
    }
    signal = 0;
  } else if (signal == SIGSTOP || signal == SIGTRAP) {
    signal = 0;
  }
  if (!held) go_on(thread, signal);
}

/* Lets threads continue whose delay is over. */
static void release(struct tracer *tracer) {
  double time = now();
  for (int i = 0; i < MOST_THREADS; i++) {
    struct thread *thread = &tracer->thread[i];
    if (!thread->id || thread->held == 0 || thread->held > time) continue;
    thread->held = 0;
    go_on(thread, 0);
  }
}

/* Reads the first line of the file /proc/ID/NAME into `line`, without its end; "" if the file
 * cannot be read. room: size of `line` in bytes. */
static void read_line(char *line, size_t room, pid_t id, const char *name) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/%d/%s", (int)id, name);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read(fd, line, room - 1);
  if (fd >= 0) close(fd);
  line[n < 0 ? 0 : n] = '\0';
  line[strcspn(line, "\n")] = '\0';
}

/* Writes to run->where, for each thread, its name, whether it runs or the number of its system
 * call, and whether that instruction is the runtime's. */
static void tell_where(struct tracer *tracer) {
  struct run *run = tracer->run;
  size_t used = 0;
  run->where[0] = '\0';
  for (int i = 0; i < MOST_THREADS && used + 64 < sizeof(run->where); i++) {
    const struct thread *thread = &tracer->thread[i];
    char name[32], call[256];
    if (!thread->id) continue;
    read_line(name, sizeof(name), thread->id, "comm");
    read_line(call, sizeof(call), thread->id, "syscall");
    const char *last = strrchr(call, ' ');
    uint64_t pc = last ? strtoull(last, NULL, 16) : 0;
    used += (size_t)snprintf(run->where + used, sizeof(run->where) - used, "%s%s: %.*s%s",
                             used ? ", " : "", name, (int)strcspn(call, " "), call,
                             pc && pc >= thread->code[0] && pc < thread->code[1] ? " of ours" : "");
  }
}

/* Handles the stops of all threads until the last one is gone or the program hangs. */
static void lead(struct tracer *tracer) {
  double start = now();
  for (;;) {
    int status;
    pid_t id = waitpid(-1, &status, __WALL);
    release(tracer);
    if (id < 0 && errno != EINTR) return; /* all threads are gone */
    if (now() - start > SECONDS_OF_A_HANG + tracer->fault->wait / 1e3) {
      tracer->run->hung = 1;
      tell_where(tracer);
      return;
    }
    if (id < 0) continue;
    struct thread *thread = thread_of(tracer, id, WIFSTOPPED(status));
    if (WIFSTOPPED(status) && thread) {
      on_stop(tracer, thread, status);
      continue;
    }
    if (thread) thread->id = 0;
    if (id == tracer->first) tracer->run->status = status;
  }
}

void run_program(struct run *run, const struct place *place, const struct program *program,
                 int bare, struct fault *fault) {
  long options = PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                 PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD;
  struct tracer tracer = {.place = place, .run = run, .fault = fault, .program = program};
  int status;
  run->status = -1;
  run->hung = 0;
  run->calls = 0;
  fault->call = -1;
  pid_t pid = fork();
  if (pid == 0) become_program(place, program, bare);
  if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status)) return;
  ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)options);
  tracer.first = pid;
  tick(1);
  go_on(thread_of(&tracer, pid, 1), 0);
  lead(&tracer);
  tick(0);
  if (run->hung) {
    struct process process = {.pid = pid};
    for (int i = 0; i < MOST_THREADS; i++) /* launchers have process groups of their own */
      if (tracer.thread[i].id) kill(tracer.thread[i].id, SIGKILL);
    process_kill(&process);
  }
}
