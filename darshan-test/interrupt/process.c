/* A process under ptrace: breakpoints, steps, and the exits of all its children. */
#include "driver.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#if !defined(__x86_64__)
#error "the harness knows breakpoints of x86-64 only"
#endif

enum { TRAP_BYTE = 0xcc };

/* MPICH inspects devices, networks and processors for most of its start unless these variables say
 * that the process is alone and name the hardware. UCX's memory hooks are off: their lock stays
 * taken when a thread is cancelled or a handler jumps during a memory mapping, with and without the
 * runtime (test_interrupt.py shows it). */
#define QUICK_START_OF_MPI                                                                         \
  "UCX_TLS=self", "UCX_MEM_EVENTS=no", "UCX_MODULES=none", "HWLOC_SYNTHETIC=pu:1",                 \
      "HWLOC_PLUGINS_PATH=/none"

static void become_program(const struct place *place, const char *kind, int action) {
  char letter[2] = {(char)action, '\0'}, preload[PATH_MAX + 16], logs[PATH_MAX + 32],
       journals[PATH_MAX + 32];
  snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", place->runtime);
  snprintf(logs, sizeof(logs), "DARSHAN_LOGPATH=%s", place->logs);
  snprintf(journals, sizeof(journals), "DARSHAN_MMAP_LOGPATH=%s", place->journals);
  char on[] = "DARSHAN_ENABLE_NONMPI=1", path[] = "PATH=/usr/bin:/bin";
  char *argv[] = {(char *)place->program, (char *)kind, letter, NULL};
  char talk[] = "DARSHAN_MOD_ENABLE=APMPI"; /* only for MPI jobs */
  char raw[] = "INTERRUPT_RAW=1", sites[] = "DARSHAN_SITES=1", none[] = "INTERRUPT_NOTHING=1";
  char *handlers = getenv("INTERRUPT_RAW") ? raw : none;
  char *stacks = getenv("INTERRUPT_SITES") ? sites : none;
  char *envp[] = {preload,  on,     logs, journals, path, talk, QUICK_START_OF_MPI,
                  handlers, stacks, NULL};
  setpgid(0, 0);
  personality(ADDR_NO_RANDOMIZE);
  if (chdir(place->work) < 0) _exit(120);
  int err = open("stderr", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(err, 2) < 0) _exit(121);
  ptrace(PTRACE_TRACEME, 0, NULL, NULL);
  execve(place->program, argv, envp);
  _exit(122);
}

static void rang(int signal) {
  (void)signal;
}

/* Sets the alarm that interrupts waitpid after so many seconds and then each second, so that the
 * harness notices a process that hangs; 0: no alarm. */
static void set_alarm(int seconds) {
  static int ready;
  struct itimerval timer = {.it_value = {.tv_sec = seconds}, .it_interval = {.tv_sec = 1}};
  struct sigaction act = {.sa_handler = rang};
  if (!ready) sigaction(SIGALRM, &act, NULL);
  ready = 1;
  if (!seconds) timer.it_interval.tv_sec = 0;
  setitimer(ITIMER_REAL, &timer, NULL);
}

void process_take_your_time(void) {
  set_alarm(0);
}

static void write_word(pid_t pid, uint64_t address, long word) {
  ptrace(PTRACE_POKETEXT, pid, (void *)address, (void *)word);
}
static void set_breakpoint(struct process *process, uint64_t address) {
  process->breakpoint = address;
  process->original = ptrace(PTRACE_PEEKTEXT, process->thread, (void *)address, NULL);
  write_word(process->thread, address, (process->original & ~0xffL) | TRAP_BYTE);
}
static void clear_breakpoint(struct process *process) {
  if (process->breakpoint) write_word(process->thread, process->breakpoint, process->original);
  process->breakpoint = 0;
}

static uint64_t instruction_of(pid_t thread) {
  return (uint64_t)ptrace(PTRACE_PEEKUSER, thread, offsetof(struct user_regs_struct, rip), NULL);
}
static void set_instruction(pid_t thread, uint64_t address) {
  ptrace(PTRACE_POKEUSER, thread, offsetof(struct user_regs_struct, rip), (void *)address);
}

/* Lets a new thread continue under ptrace, and detaches a forked child after removing the
 * breakpoint. */
static void take_newcomer(const struct process *process, pid_t pid) {
  if (syscall(SYS_tgkill, process->pid, pid, 0) == 0) {
    ptrace(PTRACE_CONT, pid, NULL, NULL);
    return;
  }
  if (process->breakpoint) write_word(pid, process->breakpoint, process->original);
  ptrace(PTRACE_DETACH, pid, NULL, NULL);
}

/* Returns what the stop of a thread means, a value of enum stop; -1 if it means nothing, and the
 * thread was continued. status: from waitpid. stepping: 1 if the thread executes a single step. */
static int meaning(struct process *process, pid_t thread, int status, int stepping) {
  int signal = WSTOPSIG(status), event = status >> 16;
  process->thread = thread;
  if (event == PTRACE_EVENT_EXEC) return STOP_ENDED;
  if (signal == SIGTRAP && !event) {
    process->instruction = instruction_of(thread);
    if (process->breakpoint && process->instruction == process->breakpoint + 1) {
      process->instruction = process->breakpoint;
      return STOP_POINT;
    }
    if (stepping) return STOP_STEP;
    process->mark =
        (int)ptrace(PTRACE_PEEKUSER, thread, offsetof(struct user_regs_struct, rax), NULL);
    return STOP_MARK;
  }
  ptrace(PTRACE_CONT, thread, NULL, event || signal == SIGSTOP ? 0L : (long)signal);
  return -1;
}

static enum stop next_stop(struct process *process, int stepping) {
  for (;;) {
    int status;
    pid_t pid = waitpid(-1, &status, __WALL);
    if (pid < 0 && errno == EINTR) return STOP_HUNG;
    if (pid < 0) return STOP_ENDED;
    if (pid == process->pid && !WIFSTOPPED(status)) {
      process->status = status;
      process->pid = 0;
      return STOP_ENDED;
    }
    if (!WIFSTOPPED(status)) continue; /* a thread, or an adopted grandchild */
    if (pid != process->pid && status >> 8 == SIGSTOP) {
      take_newcomer(process, pid);
      continue;
    }
    int stop = meaning(process, pid, status, stepping);
    if (stop >= 0) return (enum stop)stop;
  }
}

enum stop process_go(struct process *process, int signal) {
  ptrace(PTRACE_CONT, process->thread, NULL, (long)signal);
  return next_stop(process, 0);
}

enum stop process_step(struct process *process) {
  ptrace(PTRACE_SINGLESTEP, process->thread, NULL, NULL);
  return next_stop(process, 1);
}

enum stop process_go_to(struct process *process, uint64_t address, uint32_t n) {
  for (;;) {
    set_breakpoint(process, address);
    enum stop stop = process_go(process, 0);
    if (stop != STOP_POINT) return stop;
    clear_breakpoint(process);
    set_instruction(process->thread, address);
    if (--n == 0) return STOP_POINT;
    stop = process_step(process);
    if (stop != STOP_STEP) return stop;
  }
}

int process_blocks(const struct process *process, int signal) {
  uint64_t mask = 0;
  ptrace(PTRACE_GETSIGMASK, process->thread, sizeof(mask), &mask);
  return (int)(mask >> (signal - 1) & 1);
}

uint64_t process_stack_pointer(const struct process *process) {
  size_t where = offsetof(struct user_regs_struct, rsp);
  return (uint64_t)ptrace(PTRACE_PEEKUSER, process->thread, where, NULL);
}

int process_start(struct process *process, const struct place *place, const char *kind,
                  int action) {
  long options = PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                 PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC;
  int status;
  *process = (struct process){.pid = fork()};
  if (process->pid == 0) become_program(place, kind, action);
  process->thread = process->pid;
  set_alarm(SECONDS_OF_A_HANG);
  if (process->pid < 0 || waitpid(process->pid, &status, 0) < 0 || !WIFSTOPPED(status)) return -1;
  ptrace(PTRACE_SETOPTIONS, process->pid, NULL, (void *)options);
  if (process_go(process, 0) == STOP_MARK && process->mark == 1) return 0;
  process_kill(process);
  return -1;
}

int process_code(const struct process *process, const char *file, uint64_t range[2]) {
  char path[64], line[PATH_MAX + 200];
  unsigned long low, high;
  int found = 0;
  snprintf(path, sizeof(path), "/proc/%d/maps", (int)process->pid);
  FILE *maps = fopen(path, "r");
  while (maps && fgets(line, sizeof(line), maps)) {
    char flags[8];
    if (!strstr(line, file) || sscanf(line, "%lx-%lx %4s", &low, &high, flags) != 3) continue;
    if (flags[2] != 'x') continue;
    /* The mapping has several pieces if UCX changed the protection of some pages. */
    if (!found) range[0] = low;
    range[1] = high;
    found = 1;
  }
  if (maps) fclose(maps);
  return found ? 0 : -1;
}

int process_finish(struct process *process) {
  int hung = 0;
  while (process->pid && !hung) {
    enum stop stop = process_go(process, 0);
    hung = stop == STOP_HUNG;
    if (stop == STOP_ENDED && process->pid) process->thread = process->pid; /* an exec */
  }
  while (!hung) {
    int status;
    pid_t pid = waitpid(-1, &status, __WALL);
    if (pid > 0 && WIFSTOPPED(status)) ptrace(PTRACE_DETACH, pid, NULL, NULL);
    if (pid < 0 && errno == ECHILD) break;
    hung = pid < 0 && errno == EINTR;
  }
  set_alarm(0);
  return hung ? -1 : 0;
}

void process_kill(struct process *process) {
  if (process->pid > 0) {
    kill(-process->pid, SIGKILL);
    kill(process->pid, SIGKILL);
  }
  set_alarm(0);
  while (waitpid(-1, NULL, __WALL) > 0)
    ;
  process->pid = 0;
}
