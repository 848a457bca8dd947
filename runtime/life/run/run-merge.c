/* Determines which processes of a run live, and starts the merger. */
#include "run.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../counting/clock.h"
#include "../../intercept/loader/loader.h"
#include "../../intercept/memory.h"
#include "../../intercept/valgrind.h"
#include "../../job/run-state.h"
#include "../../job/runtime.h"
#include "../../job/text/text.h"
#include "../../names/path-buffers.h"
#include "../../records/after-chroot.h"
#include "life/programs.h" /* made by the build */

static const char program[] = "darshan-merge";

/* --- where the merger is -------------------------------------------------------------- */

static const char *library; /* the path of libdarshan.so, as the loader reports it */

void run_merge_prepare(void) {
  struct loaded_object here; /* not dladdr, which would compare all symbols of this library */
  if (loader_is_there() && loader_object_of((void *)&run_merge_prepare, &here) == 0)
    library = here.map->l_name;
}

static int is_there(const struct darshan_text *text) {
  return darshan_text_length(text) && sys_faccess(text->bytes, X_OK) == 0;
}

/* Stores the path of darshan-merge. Tries the library's folder (in a build tree), the folder of
 * programs relative to the library (installed), and the configured folder of programs. Returns 1,
 * or 0 if no folder has the program. */
static int find_program(char *out, size_t room) {
  const char *slash = library && library[0] == '/' ? strrchr(library, '/') : NULL;
  static const char *const folders[] = {"", DARSHAN_PROGRAMS_RELATIVE "/"};
  struct darshan_text text;
  for (size_t i = 0; slash && i < sizeof(folders) / sizeof(folders[0]); i++) {
    text = darshan_text_in(out, room);
    darshan_text_bytes(&text, library, (size_t)(slash - library) + 1);
    darshan_text_add(&text, folders[i]);
    darshan_text_add(&text, program);
    if (is_there(&text)) return 1;
  }
  text = darshan_text_in(out, room);
  darshan_text_add(&text, DARSHAN_PROGRAMS "/");
  darshan_text_add(&text, program);
  return is_there(&text);
}

int run_merge_is_possible(void) {
  if (!sys_gate_lets_all() || outside_is_active()) return 0;
  struct path_buffer *path = path_buffer_take();
  int possible = path && find_program(path->bytes, RUN_ROOM);
  path_buffer_give(path);
  return possible;
}

/* --- which processes live ------------------------------------------------------------- */

enum {
  PIDS = 1 << 22,
  UNBORN = 512,
  SPACES = 32,
  NO_SUCH = -3 /* ESRCH */,
  ROWS = 64,
  STAT_ROOM = 512
};
enum { WORD = 64, PID_WORDS = PIDS / WORD, GROUPS = PID_WORDS / WORD };
static const int64_t week_ns = INT64_C(7) * 86400 * NS_PER_SECOND;
static const int64_t birth_ns =
    10 * (int64_t)NS_PER_SECOND; /* limit of the time from a fork to the child's first row */

/* Returns the state letter in /proc/PID/stat; 'R' if the file cannot be read; 0 if there is no such
 * process. */
static char state_of(pid_t pid) {
  char path[32], text[STAT_ROOM];
  struct darshan_text name = darshan_text_in(path, sizeof(path));
  if (SYS2(SYS_kill, pid, 0) == NO_SUCH) return 0;
  darshan_text_add(&name, "/proc/");
  darshan_text_signed(&name, pid);
  darshan_text_add(&name, "/stat");
  int fd = sys_open(path, O_RDONLY, 0);
  if (fd < 0) return 'R'; /* unknown: assumed to be alive */
  ssize_t n = sys_read(fd, text, sizeof(text) - 1);
  sys_close(fd);
  for (ssize_t i = n - 1; i >= 0; i--)
    if (text[i] == ')' && i + 2 < n) return text[i + 2];
  return 'R';
}

static int is_alive(pid_t pid) {
  char state = state_of(pid);
  return state && state != 'Z' && state != 'X' && state != 'x';
}

/* The processes that may live, as bits on two levels, so that a search skips ranges of process ids
 * that no row has. */
struct look {
  uint64_t alive[PID_WORDS]; /* a bit per process id of this namespace */
  uint64_t groups[GROUPS];   /* a bit per word of `alive` that may have a bit set */
  int64_t now;
  struct {
    uint64_t names;
    char host[RUN_HOST];
    int64_t count;  /* START rows minus END rows of the last week */
  } spaces[SPACES]; /* other hosts and PID namespaces; the last element counts all further ones */
  int64_t forked;   /* time of the last fork */
  uint32_t unborn;  /* number of forks whose child has no row yet */
  struct {
    int32_t pid; /* of the parent */
    uint32_t token;
  } forks[UNBORN];
};

static void await(struct look *look, const struct run_event *row) {
  look->forked = row->now_ns;
  if (look->unborn == UNBORN) return;
  look->forks[look->unborn].pid = row->pid;
  look->forks[look->unborn++].token = row->token;
}

static void is_born(struct look *look, int32_t parent, uint32_t token) {
  for (uint32_t i = 0; token && i < look->unborn; i++)
    if (look->forks[i].pid == parent && look->forks[i].token == token) {
      look->forks[i] = look->forks[--look->unborn];
      return;
    }
}

static int is_here(const struct run_event *row) {
  return row->pid_namespace == run_state.names &&
         memcmp(row->host, run_state.host, sizeof(row->host)) == 0;
}

/* Counts the START (begins is 1) or END (0) of a process of another host or namespace. The kernel
 * kills all processes of a namespace whose process 1 ends. */
static void count_foreign(struct look *look, const struct run_event *row, int begins) {
  int i = 0;
  while (i < SPACES - 1 && look->spaces[i].names &&
         (look->spaces[i].names != row->pid_namespace ||
          memcmp(look->spaces[i].host, row->host, sizeof(row->host)) != 0))
    i++;
  look->spaces[i].names = row->pid_namespace;
  memcpy(look->spaces[i].host, row->host, sizeof(row->host));
  look->spaces[i].count += begins ? 1 : -1;
  if (row->kind == RUN_END && row->pid == 1 && row->pid_namespace && i < SPACES - 1)
    look->spaces[i].count = 0;
}

static int any_foreign(const struct look *look) {
  for (int i = 0; i < SPACES; i++)
    if (look->spaces[i].count > 0) return 1;
  return 0;
}

static void mark(struct look *look, int32_t pid, int alive) {
  if (pid <= 0 || pid >= PIDS) return;
  int word = pid / WORD;
  uint64_t bit = UINT64_C(1) << pid % WORD;
  if (alive) {
    look->alive[word] |= bit;
    look->groups[word / WORD] |= UINT64_C(1) << word % WORD;
  } else if (look->alive[word] & bit) {
    look->alive[word] &= ~bit;
  }
}

static int64_t began_ns; /* time of the run's first row, ns since the epoch; 0: not read yet */

static void take_row(struct look *look, const struct run_event *row) {
  if (!began_ns || row->now_ns < began_ns) began_ns = row->now_ns;
  int begins = row->kind == RUN_START || row->kind == RUN_SPAWNED;
  int ends = row->kind == RUN_END || row->kind == RUN_REAPED;
  int goes_on = row->kind == RUN_EXEC; /* the next program appends START */
  if (row->kind == RUN_FORKING) await(look, row);
  if (row->kind == RUN_FORK_FAILED) is_born(look, row->pid, row->token);
  if (begins) is_born(look, row->parent, row->token);
  if (!begins && !ends && !goes_on) return;
  if (is_here(row) && !goes_on)
    mark(look, row->pid, begins);
  else if (!is_here(row) && look->now - row->now_ns < week_ns && row->kind != RUN_SPAWNED &&
           row->kind != RUN_REAPED)
    count_foreign(look, row, begins);
}

/* Evaluates all whole rows in these bytes of the event file. Returns the number of bytes evaluated.
 * A full disk may have truncated a row: the next row begins at its magic number. */
static size_t take_rows(struct look *look, const char *bytes, size_t n) {
  struct run_event row;
  size_t at = 0;
  while (n - at >= sizeof(row)) {
    memcpy(&row, bytes + at, sizeof(row));
    if (row.magic == RUN_EVENT_MAGIC) take_row(look, &row);
    at += row.magic == RUN_EVENT_MAGIC ? sizeof(row) : 1;
  }
  return at;
}

static int read_rows_of(struct look *look, const char *path) {
  char bytes[ROWS * sizeof(struct run_event)];
  int fd = outside_open(path, O_RDONLY | O_NOFOLLOW, 0);
  ssize_t n;
  off_t at = 0;
  if (fd < 0) return -1;
  while ((n = sys_pread(fd, bytes, sizeof(bytes), at)) >= (ssize_t)sizeof(struct run_event))
    at += (off_t)take_rows(look, bytes, (size_t)n);
  sys_close(fd);
  return 0;
}

static int read_rows(struct look *look) {
  char path[RUN_PART_ROOM];
  int result = read_rows_of(look, run_state.events), further = result;
  for (int i = 1; further == 0 && i < RUN_EVENTS_MOST; i++) {
    struct darshan_text text = darshan_text_in(path, sizeof(path));
    darshan_text_add(&text, run_state.events);
    darshan_text_add(&text, ".");
    darshan_text_unsigned(&text, (uint64_t)i);
    further = read_rows_of(look, path);
  }
  return result;
}

/* Returns 1 if the root process lives and has not appended its END row, otherwise 0. Before it
 * does, it checks for other processes itself, so this process need not. */
static int top_has_to_look(void) {
  struct stat st;
  return outside_lstat(run_state.events, &st) == 0 && !(st.st_mode & S_IXUSR) &&
         is_alive(run_state.top);
}

/* Returns 0 if the root process is on another host or in another PID namespace, where its pid means
 * another process. Otherwise, and if its START row is not found, returns 1. Its START row is one of
 * the first. */
static int top_is_here(void) {
  struct run_event rows[ROWS];
  int fd = outside_open(run_state.events, O_RDONLY | O_NOFOLLOW, 0);
  ssize_t n = fd < 0 ? 0 : sys_pread(fd, rows, sizeof(rows), 0);
  if (fd >= 0) sys_close(fd);
  for (ssize_t i = 0; i < n / (ssize_t)sizeof(rows[0]); i++)
    if (rows[i].kind == RUN_START && rows[i].pid == run_state.top) return is_here(&rows[i]);
  return 1;
}

static int any_alive_of(uint64_t bits, int first) {
  for (; bits; bits &= bits - 1) {
    pid_t pid = first + __builtin_ctzll(bits);
    if (pid != process_state.pid && is_alive(pid)) return 1;
  }
  return 0;
}

static int any_alive(const struct look *look) {
  for (int group = 0; group < GROUPS; group++)
    for (uint64_t words = look->groups[group]; words; words &= words - 1) {
      int word = group * WORD + __builtin_ctzll(words);
      if (any_alive_of(look->alive[word], word * WORD)) return 1;
    }
  return 0;
}

int run_others_live(void) {
  int has_top = run_state.top > 0 && !run_state.has_peers;
  int top_is_other = has_top && run_state.top != process_state.pid;
  if (top_is_other && top_has_to_look() && top_is_here()) return 1;
  struct look *look = private_memory(sizeof(*look));
  if (!look) return 1;
  look->now = (int64_t)clock_ns(CLOCK_REALTIME);
  int failed = read_rows(look) < 0;
  int being_born = look->unborn > 0 && look->now - look->forked < birth_ns;
  int others = failed || being_born || any_foreign(look) || any_alive(look);
  sys_munmap(look, sizeof(*look));
  return others;
}

/* --- the merger ------------------------------------------------------------------------- */

enum { WORDS = 12, ENVIRONMENT = 6, SETTINGS_ROOM = 4096, STEP_NS = 200000 };
/* A process that ends waits for the merger for PATIENCE_NS plus a part of the run's duration, at
 * most MOST_PATIENCE_NS, then kills the merger. A small run needs some 5 ms of a processor; the
 * rest is for machines on which fifty processes compete for one processor. */
#define PATIENCE_NS (NS_PER_SECOND / 4)
#define MOST_PATIENCE_NS (NS_PER_SECOND * 2)
enum { PART_OF_THE_RUN = 20 };

/* Raises the soft limits, which the application may have lowered, to the hard limits, for the
 * merger. This function and those below it up to become() run in a child process that has its own
 * descriptors and signal actions and shares this memory. run_merge_is_possible() has checked that
 * no filter forbids their system calls. */
static void raise_limits(void) {
  enum { LIMITS = 16 };
  uint64_t limit[2];
  for (int i = 0; i < LIMITS; i++) {
    if (sys_call_now(SYS_prlimit64, 0, i, 0, (long)limit, 0, 0) < 0) continue;
    limit[0] = limit[1];
    sys_call_now(SYS_prlimit64, 0, i, (long)limit, 0, 0, 0);
  }
}

/* Sets the action of SIGCHLD in the child.  The struct has the layout of the kernel's sigaction. */
static void set_child_signal(void (*handler)(int)) {
  struct {
    void (*handler)(int);
    unsigned long flags, restorer;
    uint64_t mask;
  } action = {handler, 0, 0, 0};
  sys_call_now(SYS_rt_sigaction, SIGCHLD, (long)&action, 0, sizeof(action.mask), 0, 0);
}

static void end_with_parent(void) {
  sys_call_now(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0, 0);
}

__attribute__((noreturn, noinline)) static void become(const char *path, char **argv, char **envp) {
  uint64_t none = 0;
  end_with_parent();
  set_child_signal(SIG_DFL);
  raise_limits();
  sys_call_now(SYS_setsid, 0, 0, 0, 0, 0, 0);
  long null = sys_call_now(SYS_openat, AT_FDCWD, (long)"/dev/null", O_RDWR, 0, 0, 0);
  for (int fd = 0; fd < 3 && null >= 0; fd++)
    sys_call_now(SYS_dup3, null, fd, 0, 0, 0, 0);
  sys_call_now(SYS_close_range, 3, ~0U, 0, 0, 0, 0);
  sys_call_now(SYS_chdir, (long)"/", 0, 0, 0, 0, 0);
  sys_call_now(SYS_rt_sigprocmask, SIG_SETMASK, (long)&none, 0, sizeof(none), 0, 0);
  sys_call_now(SYS_execve, (long)path, (long)argv, (long)envp, 0, 0, 0);
  for (;;)
    sys_call_now(SYS_exit_group, 127, 0, 0, 0, 0, 0);
}

/* Waits until the merger has ended; kills it after patience_ns nanoseconds. */
static void await_end(pid_t program, uint64_t patience_ns) {
  enum { INTERRUPTED = -4 };
  struct timespec step = {0, STEP_NS};
  int status, killed = 0;
  for (uint64_t waited = 0;; waited += STEP_NS) {
    long ended = sys_call_now(SYS_wait4, program, (long)&status, killed ? __WALL : __WALL | WNOHANG,
                              0, 0, 0);
    if (ended != 0 && ended != INTERRUPTED) return; /* or -ECHILD */
    if (!killed && waited >= patience_ns) {
      killed = 1;
      sys_call_now(SYS_kill, program, SIGKILL, 0, 0, 0, 0);
    } else if (!killed) {
      sys_call_now(SYS_nanosleep, (long)&step, 0, 0, 0, 0, 0);
    }
  }
}

struct start {
  const char *path;
  char **argv, **envp;
  uint64_t patience_ns;
};

/* Starts the merger without Valgrind and waits for it. Returns 0 if there can be no process for it,
 * otherwise 1, also if the merger fails. With --trace-children, Valgrind would run the merger for
 * longer than this process waits, and Valgrind flushes libc's buffers in every process whose end it
 * sees. */
static uintptr_t start_past_valgrind(uintptr_t thread, void *start_) {
  const struct start *it = start_;
  (void)thread;
  long child = sys_call_now(SYS_clone, CLONE_VM | CLONE_VFORK, 0, 0, 0, 0, 0);
  if (child == 0) become(it->path, it->argv, it->envp);
  if (child > 0) await_end((pid_t)child, it->patience_ns);
  return child > 0;
}

/* Starts the merger and waits for it. Returns -1 if no child can be made, otherwise 0, also if the
 * merger fails. The merger is a grandchild. The child between them shares this memory, sends no
 * signal at its exit, is invisible to a wait() without __WALL or __WCLONE, and ends after the
 * merger. So no signal and no wait of this process, its parent, a subreaper or process 1 reports
 * either of them. The child ignores SIGCHLD, so the merger's processor time is not added to the
 * time of this process's children. */
static int start(struct start it) {
  int status;
  if (valgrind_is_there()) return valgrind_call(start_past_valgrind, &it) ? 0 : -1;
  long child = sys_call_now(SYS_clone, CLONE_VM | CLONE_VFORK, 0, 0, 0, 0, 0);
  if (child == 0) {
    end_with_parent();
    set_child_signal(SIG_IGN);
    long next = sys_call_now(SYS_clone, CLONE_VM | CLONE_VFORK, 0, 0, 0, 0, 0);
    if (next == 0) become(it.path, it.argv, it.envp);
    if (next > 0) await_end((pid_t)next, it.patience_ns);
    for (;;)
      sys_call_now(SYS_exit, 0, 0, 0, 0, 0, 0);
  }
  if (child < 0) return -1;
  sys_call_now(SYS_wait4, child, (long)&status, __WCLONE, 0, 0, 0);
  return 0;
}

/* Returns 1 if the run directory was removed or closed, which means that there is a log. Otherwise
 * returns 0. */
static int is_merged(void) {
  struct stat st;
  return outside_lstat(run_state.folder, &st) < 0 || outside_lstat(run_state.closed, &st) == 0;
}

static uint64_t patience(void) {
  int64_t now = (int64_t)clock_ns(CLOCK_REALTIME);
  uint64_t run = began_ns && now > began_ns ? (uint64_t)(now - began_ns) : 0;
  uint64_t all = PATIENCE_NS + run / PART_OF_THE_RUN;
  return all < MOST_PATIENCE_NS ? all : MOST_PATIENCE_NS;
}

/* Appends "NAME=value" and returns it; NULL if value is NULL or the buffer is too small. */
static char *setting(struct darshan_text *text, const char *name, const char *value) {
  char *at = text->bytes + text->length;
  if (!value) return NULL;
  darshan_text_add(text, name);
  darshan_text_add(text, "=");
  darshan_text_add(text, value);
  darshan_text_bytes(text, "", 1);
  return text->overflow ? NULL : at;
}

/* Makes the folder in which this process's own log would be written, and stores its path. Returns 0
 * or -1. */
static int folder_of_logs(char *out) {
  struct darshan_log_identity identity = runtime_identity();
  identity.naming = DARSHAN_NAME_MADE;
  if (!darshan_partial_path(out, DARSHAN_PATH_ROOM, &darshan_config, &identity)) return -1;
  if (darshan_make_folders(out, darshan_dated_levels(&darshan_config)) < 0) return -1;
  *strrchr(out, '/') = '\0';
  return 0;
}

/* Fills in the arguments of the merger after argv[0]; folder: buffer for the path of the folder
 * of logs.  Returns 0, or -1 if there is no folder for logs. */
static int words(char **argv, char *folder) {
  static char quiet[] = "--quiet", run[] = "--run", out[] = "-o", numbered[] = "--numbered",
              logs[] = "--logs";
  int n = 0;
  argv[n++] = quiet;
  argv[n++] = run;
  argv[n++] = run_state.folder;
  if (darshan_config.logfile) {
    argv[n++] = numbered;
    argv[n++] = out;
    argv[n++] = (char *)(uintptr_t)darshan_config.logfile;
  } else {
    if (folder_of_logs(folder) < 0) return -1;
    argv[n++] = logs;
    argv[n++] = folder;
  }
  argv[n] = NULL;
  return 0;
}

int run_merge(void) {
  char path[RUN_ROOM], folder[DARSHAN_PATH_ROOM], settings[SETTINGS_ROOM];
  char *argv[WORDS] = {(char *)(uintptr_t)program}, *envp[ENVIRONMENT];
  struct darshan_text text = darshan_text_in(settings, sizeof(settings));
  int m = 0;
  if (!run_merge_is_possible() || !find_program(path, sizeof(path)) || words(argv + 1, folder) < 0)
    return -1;
  if ((envp[m] = setting(&text, "LOGNAME", darshan_config.user))) m++;
  if ((envp[m] = setting(&text, "TZ", darshan_config.timezone))) m++;
  if ((envp[m] = setting(&text, "HOME", darshan_config.home))) m++;
  envp[m] = NULL;
  return start((struct start){path, argv, envp, patience()}) == 0 && is_merged() ? 0 : -1;
}

void run_fold(void) {
  static char quiet[] = "--quiet", fold[] = "--fold";
  char path[RUN_ROOM], *envp[] = {NULL};
  char *argv[] = {(char *)(uintptr_t)program, quiet, fold, run_state.folder, NULL};
  if (run_merge_is_possible() && find_program(path, sizeof(path)))
    start((struct start){path, argv, envp, MOST_PATIENCE_NS});
}
