/* Appends rows of this process to its run's event file, makes the run directory, and names the
 * process's part. */
#include "run.h"

#include <string.h>
#include <sys/wait.h>

#include "../../counting/clock.h"
#include "../../intercept/signals/signals.h"
#include "../../intercept/stack.h"
#include "../../intercept/sys/sys.h"
#include "../../job/run-state.h"
#include "../../job/runtime.h"
#include "../../job/text/text.h"
#include "../../log/save.h"
#include "../../log/without-journal.h"
#include "../../log/write.h"
#include "../../names/path-buffers.h"
#include "../../records/after-chroot.h"
#include "../exec/unwatched.h"

enum { FOLDER_MODE = 0700, EXISTS = -17 /* EEXIST */ };

static int exit_status = -1;
static int records_are_lost;
static uint32_t forks;            /* counter that gives each fork its token */
static __thread uint32_t forking; /* token of the fork in progress in this thread; 0: none */
static uint64_t rows_before_end;  /* bytes in `events` before this process's END row */

/* --- rows --------------------------------------------------------------------------- */

static int path_in_folder(char *out, size_t room, const char *name) {
  struct darshan_text text = darshan_text_in(out, room);
  darshan_text_add(&text, run_state.folder);
  darshan_text_add(&text, "/");
  darshan_text_add(&text, name);
  return darshan_text_length(&text) ? 0 : -1;
}

enum { FULL = 1 }; /* RLIMIT_FSIZE allows no further row in the file */

/* Returns the bytes of an open file, or -1. A function of its own, so that its `struct stat` takes
 * no stack while the file is opened. */
static __attribute__((noinline)) int64_t length_of(int fd) {
  struct stat st;
  return sys_fstat(fd, &st) == 0 ? (int64_t)st.st_size : -1;
}

static int append_to(const char *path, const struct run_event *row) {
  int is_first = path == run_state.events;
  /* The `darshan` command made `events`. If it is gone, the run has its log (log_run_is_open). */
  int makes = is_first && run_state.top == 0 ? 0 : O_CREAT;
  int fd = outside_open(path, O_WRONLY | O_APPEND | makes | O_NOFOLLOW, RUN_EVENTS_MODE);
  if (fd < 0) return -1;
  int64_t length = length_of(fd);
  int result = length < 0 ? -1 : 0;
  if (result == 0 && !sys_may_grow_to((uint64_t)length + sizeof(*row))) result = FULL;
  if (result == 0) result = sys_write(fd, row, sizeof(*row)) == sizeof(*row) ? 0 : -1;
  if (row->kind == RUN_START) run_state.is_first_row = is_first && result == 0 && length == 0;
  if (row->kind == RUN_END && is_first && length >= 0) rows_before_end = (uint64_t)length;
  if (row->kind == RUN_END && is_first && row->pid == run_state.top)
    sys_fchmod(fd, RUN_TOP_LEFT_MODE);
  sys_close(fd);
  return result;
}

/* Appends the row to the first of events.1, events.2 and so on that RLIMIT_FSIZE allows to grow,
 * and remembers its number for later rows. Returns 0 or -1. */
static int append_further(const struct run_event *row) {
  static int number = 1;
  struct path_buffer *path = sys_may_grow_to(sizeof(*row)) ? path_buffer_take() : NULL;
  int result = FULL, i = __atomic_load_n(&number, __ATOMIC_RELAXED);
  for (; path && result == FULL && i < RUN_EVENTS_MOST; i++) {
    struct darshan_text text = darshan_text_in(path->bytes, DARSHAN_PATH_ROOM);
    darshan_text_add(&text, run_state.events);
    darshan_text_add(&text, ".");
    darshan_text_unsigned(&text, (uint64_t)i);
    result = append_to(path->bytes, row);
    if (result == 0) __atomic_store_n(&number, i, __ATOMIC_RELAXED);
  }
  path_buffer_give(path);
  return result == 0 ? 0 : -1;
}

static int append(const struct run_event *row) {
  int result = append_to(run_state.events, row);
  return result == FULL ? append_further(row) : result;
}

/* Appends a row. Returns 0, or -1 if it cannot be written or a filter forbids system calls. Signals
 * are blocked so that no handler runs and no seccomp filter is installed while the event file is
 * open. */
static int tell(struct run_event *row) {
  row->magic = RUN_EVENT_MAGIC;
  row->now_ns = (int64_t)clock_ns(CLOCK_REALTIME);
  if (!row->pid_namespace) row->pid_namespace = run_state.names;
  memcpy(row->host, run_state.host, sizeof(row->host));
  uint64_t mask = signals_block();
  int result = sys_gate_is_shut() ? -1 : append(row);
  signals_restore(mask);
  return result;
}

/* Returns the start of this program in nanoseconds since the epoch, as in its job record. */
static int64_t own_start(void) {
  const struct darshan_clock *clock = &darshan_hot.clock;
  return clock->start_sec * (int64_t)NS_PER_SECOND + clock->start_nsec;
}

static int tell_start(int32_t parent, uint32_t token) {
  struct run_event row = {.kind = RUN_START,
                          .pid = process_state.pid,
                          .parent = parent,
                          .status = darshan_config.launcher,
                          .token = token,
                          .start_ns = own_start()};
  size_t length = strlen(darshan_config.exe);
  memcpy(row.program, darshan_config.exe, length < RUN_PROGRAM ? length : RUN_PROGRAM);
  return tell(&row);
}

/* --- the run directory ----------------------------------------------------------------- */

/* Returns 1 if the run directory exists, belongs to this user and still accepts parts. Otherwise
 * returns 0. */
static int is_open(void) {
  struct stat st;
  if (outside_lstat(run_state.folder, &st) < 0 || !S_ISDIR(st.st_mode)) return 0;
  return st.st_uid == (uid_t)sys_geteuid() && log_run_is_open();
}

/* Appends this process's START row to the event file; with it the process has joined the run.
 * token: of the fork, 0 for a process that was not forked. The caller knows that the run directory
 * is open. */
static void join_open(uint32_t token) {
  int32_t parent = token ? process_state.fork_parent : (int32_t)SYS1(SYS_getppid, 0);
  if (tell_start(parent, token) == 0) run_state.joined = 1;
}

static void join(uint32_t token) {
  if (!run_state.joined && is_open()) join_open(token);
}

/* Returns 1 if recording has begun without a journal and without snapshots, because memory, disk
 * space or RLIMIT_FSIZE was too small. Otherwise returns 0. */
static int has_no_journal(void) {
  const struct journal *journal = &darshan_store.journal;
  return darshan_store.frame && !journal->has_file && !journal->unsafe && !darshan_store.growing;
}

/* Moves a journal that was made before the run directory into that directory. Appends a row if
 * there can be no journal. */
static void bring_journal(void) {
  struct run_event row = {.kind = RUN_UNKEPT, .pid = process_state.pid};
  struct record_store *store = &darshan_store;
  const char *name = strrchr(store->journal.path, '/');
  darshan_config.mmap_logpath = run_state.folder;
  struct path_buffer *path = store->journal.has_file && name ? path_buffer_take() : NULL;
  if (path && path_in_folder(path->bytes, DARSHAN_PATH_ROOM, name + 1) == 0 && store_lock(store)) {
    journal_rename(&store->journal, path->bytes);
    store_unlock(store);
  }
  path_buffer_give(path);
  if (has_no_journal()) tell(&row);
}

/* Returns 1 if the root process is in another mount namespace, where it would not see a folder made
 * here. Otherwise, and if a namespace cannot be read, returns 0. */
static int top_is_elsewhere(void) {
  char path[32], top[32], own[32];
  struct darshan_text text = darshan_text_in(path, sizeof(path));
  darshan_text_add(&text, "/proc/");
  darshan_text_signed(&text, run_state.top);
  darshan_text_add(&text, "/ns/mnt");
  ssize_t n = sys_readlink(path, top, sizeof(top));
  return n > 0 && sys_readlink("/proc/self/ns/mnt", own, sizeof(own)) == n &&
         memcmp(top, own, (size_t)n) != 0;
}

/* Makes the run directory if no other process of the run has made it. Returns 1 if it is open.
 * Returns 0 if it was made now or exists, so that it may be closed. Returns -1 if it cannot be
 * made, no merger can be started, the root process is in another mount namespace, or the `darshan`
 * command made the directory (top is 0) and has closed it. */
static int make_folder(void) {
  if (is_open()) return 1;
  if (run_state.top == 0 || !run_merge_is_possible() || top_is_elsewhere()) return -1;
  int result = sys_mkdir(run_state.folder, FOLDER_MODE);
  return result == 0 || result == EXISTS ? 0 : -1;
}

static void grow(void *nothing) {
  (void)nothing;
  int made = make_folder();
  if (made < 0) {
    run_state.folder[0] = '\0'; /* now each process writes its own log */
    return;
  }
  /* A child of a login shell, before its exec, still runs the shell's program, which is not a
   * program of the run. The token UINT32_MAX, which no fork has, marks it. */
  uint32_t token = run_state.is_first && process_state.fork_parent ? UINT32_MAX : 0;
  if (!run_state.joined && (made || is_open())) join_open(token);
  if (run_state.joined) bring_journal();
}

/* --- events of the process ---------------------------------------------------------------- */

/* Returns 1 if this process belongs to a run and may append rows, otherwise 0. It may not if its
 * pid is unknown because an inherited filter forbids getpid. */
static int is_in_run(void) {
  return run_state.folder[0] && process_state.pid > 0 && darshan_hot.phase_page &&
         !sys_gate_is_shut();
}

void run_started(void) {
  if (run_state.folder[0] || run_state.is_login) run_merge_prepare();
  if (!run_state.folder[0] || process_state.pid <= 0) return;
  if (run_state.is_first)
    join(0); /* an earlier program of this process may have made the folder */
  else
    grow(NULL);
  if (run_state.joined) darshan_config.mmap_logpath = run_state.folder;
}

void run_grows(void) {
  if (is_in_run() && !run_state.joined && fd_may_change() && process_is_ours())
    stack_run(grow, NULL);
}

void run_note_unkept(void) {
  struct run_event row = {.kind = RUN_UNKEPT, .pid = process_state.pid};
  if (is_in_run() && run_state.joined) tell(&row);
}

void run_forking(void) {
  forking = 0;
  if (!is_in_run()) return;
  run_grows();
  if (!run_state.joined) return;
  uint32_t token = __atomic_add_fetch(&forks, 1, __ATOMIC_RELAXED);
  struct run_event row = {.kind = RUN_FORKING, .pid = process_state.pid, .token = token};
  if (tell(&row) == 0) forking = token;
}

void run_fork_failed(void) {
  struct run_event row = {.kind = RUN_FORK_FAILED, .pid = process_state.pid, .token = forking};
  if (forking && is_in_run()) tell(&row);
  forking = 0;
}

void run_has_forked(pid_t child) {
  struct run_event row = {
      .kind = RUN_SPAWNED, .pid = child, .parent = process_state.pid, .token = forking};
  if (child < 0) run_fork_failed();
  if (child <= 0) return;
  if (forking && is_in_run()) tell(&row);
  forking = 0;
}

void run_forked(void) {
  int was_joined = run_state.joined;
  uint32_t token = forking;
  forking = 0;
  run_state.joined = run_state.left = run_state.parts = run_state.is_first_row = 0;
  run_state.part[0] = '\0';
  exit_status = -1;
  records_are_lost = 0;
  run_find_forked(&darshan_config, process_state.pid);
  if (run_state.folder[0] && was_joined && process_state.pid > 0) join(token);
}

/* Returns the PID namespace of this vfork child, which runs in its parent's memory. If getppid
 * returns the pid that the parent recorded, it is the parent's namespace. A child with its own
 * namespace, as after unshare(CLONE_NEWPID), gets another pid, or 0; its
 * namespace is then read from the kernel. */
static uint64_t namespace_of_child(void) {
  return SYS1(SYS_getppid, 0) == process_state.pid ? run_state.names : pid_namespace();
}

void run_vforked(void) {
  if (!is_in_run()) return;
  if (!run_state.joined && make_folder() < 0) return;
  /* The parent joins by this row as well, because the child's state is the parent's. The journal
   * moves to the run directory, where the merger finds it. */
  if (!run_state.joined && tell_start(0, 0) == 0) {
    run_state.joined = 1;
    bring_journal();
  }
  struct run_event row = {.kind = RUN_SPAWNED,
                          .pid = sys_getpid(),
                          .parent = process_state.pid,
                          .pid_namespace = namespace_of_child()};
  tell(&row);
}

void run_exec(void) {
  if (!is_in_run()) return;
  run_grows();
  struct run_event row = {.kind = RUN_EXEC, .pid = process_state.pid};
  if (run_state.joined) tell(&row);
}

/* The row of the program that this process is about to execute, appended after the END row. */
static struct run_event unwatched;

static void tell_unwatched(struct run_event *row, pid_t parent_of_calls) {
  row->kind = RUN_UNWATCHED;
  int64_t read, written;
  if (unwatched_calls(parent_of_calls, &read, &written)) {
    row->start_ns = read;
    row->job = (uint64_t)written;
    row->token = 1;
  }
  tell(row);
}

void run_becomes_unwatched(struct run_event *row, int is_vforked) {
  if (!is_in_run() || !run_state.joined) return;
  row->pid = is_vforked ? sys_getpid() : process_state.pid;
  row->parent = (int32_t)SYS1(SYS_getppid, 0);
  if (is_vforked) row->pid_namespace = namespace_of_child();
  if (is_vforked || row->status == RUN_GO)
    tell_unwatched(row, row->parent);
  else
    unwatched = *row;
}

void run_spawned(pid_t child, char *const *envp) {
  struct run_event row = {.kind = RUN_SPAWNED, .pid = child, .parent = process_state.pid};
  if (child <= 0 || !is_in_run() || !run_state.joined) return;
  row.status = (int32_t)unwatched_why(envp, &row);
  struct run_event spawned = {.kind = RUN_SPAWNED, .pid = child, .parent = process_state.pid};
  if (row.status == RUN_WATCHED || row.status == RUN_GO) tell(&spawned);
  if (row.status != RUN_WATCHED) tell_unwatched(&row, 0);
}

void run_waits(struct run_waiting *waiting) {
  waiting->cpu_ns = -1;
  if (run_state.joined && is_in_run()) unwatched_waiting(waiting);
}

void run_reaped(pid_t child, int status, const struct run_waiting *waiting) {
  struct run_event row = {
      .kind = RUN_REAPED, .pid = child, .parent = process_state.pid, .status = status};
  int is_end = WIFEXITED(status) || WIFSIGNALED(status);
  if (child <= 0 || !is_end || !is_in_run() || !run_state.joined) return;
  unwatched_used(&row, waiting);
  tell(&row);
}

void run_told(pid_t child, int code, int status, const struct run_waiting *waiting) {
  if (code == CLD_EXITED)
    run_reaped(child, (status & 0xff) << 8, waiting); /* encoded as waitpid does */
  else if (code == CLD_KILLED || code == CLD_DUMPED)
    run_reaped(child, status & 0x7f, waiting);
}

/* --- part and end of the process ---------------------------------------------------------- */

int run_takes_part(void) {
  run_state.part[0] = '\0';
  if (!is_in_run() || mpi_state.phase == MPI_RUNNING) return 0;
  join(0);
  if (!run_state.joined || !is_open()) return 0;
  struct darshan_text text = darshan_text_in(run_state.part, sizeof(run_state.part));
  darshan_text_add(&text, run_state.folder);
  darshan_text_add(&text, "/" RUN_PART);
  darshan_text_signed(&text, process_state.pid);
  darshan_text_add(&text, ".");
  darshan_text_signed(&text, own_start());
  darshan_text_add(&text, ".");
  darshan_text_signed(&text, run_state.parts);
  if (darshan_text_length(&text)) return 1;
  run_state.part[0] = '\0';
  return 0;
}

/* Returns 1 if the run directory is there, or was when the root changed, but this process may not
 * write to it. Otherwise returns 0. */
static int is_out_of_reach(void) {
  enum { NO_RIGHTS = -13 /* EACCES */ };
  struct stat st;
  if (outside_is_lost()) return 1;
  int result = outside_lstat(run_state.folder, &st);
  return result == NO_RIGHTS || (result == 0 && st.st_uid != (uid_t)sys_geteuid());
}

int run_has_journal(void) {
  const struct journal *journal = &darshan_store.journal;
  size_t length = strlen(run_state.folder);
  if (!is_in_run() || !run_state.joined || run_state.top == process_state.pid) return 0;
  if (!journal->has_file || strncmp(journal->path, run_state.folder, length) != 0) return 0;
  if (journal->path[length] != '/' || !is_out_of_reach()) return 0;
  enum store_kept kept = store_kept(&darshan_store);
  return kept == STORE_KEPT || kept == STORE_UNSEEN;
}

int run_part_stays(int result) {
  struct run_event row = {.kind = RUN_UNKEPT, .pid = process_state.pid, .token = 1};
  records_are_lost = result < 0 && log_state.has_lost;
  if (records_are_lost) tell(&row); /* a program that is executed next does not know of the loss */
  int taken = result < 0 || log_is_packed() || is_open() || log_take_back(log_path) < 0;
  if (taken) run_state.parts++;
  run_state.part[0] = '\0';
  return taken;
}

void run_note_job(void) {
  struct run_event row = {.kind = RUN_JOB,
                          .pid = process_state.pid,
                          .status = mpi_state.size,
                          .job = (uint64_t)mpi_state.start_ns ^ (uint64_t)mpi_state.leader_pid};
  if (!is_in_run()) return;
  join(0);
  if (run_state.joined) tell(&row);
}

void run_note_status(int status) {
  exit_status = status & 0xff;
  /* A vfork child must not change failed_with, which belongs to the parent. */
  if (sys_getpid() == process_state.pid) process_state.failed_with = exit_status;
}

/* Returns 1 if `events` has 1 MiB or more, and the position of this process's END row is next to a
 * multiple of the step. Otherwise returns 0. The step is half a MiB (some thousand processes),
 * later a 16th to a 32nd of the file's size, so that all folds together read some 32 times the size
 * of the file. */
static int fold_is_due(void) {
  enum { FIRST = 1 << 19, SHARE = 16, NEXT = 24 * sizeof(struct run_event) };
  uint64_t step = FIRST;
  while (2 * SHARE * step <= rows_before_end)
    step *= 2;
  return rows_before_end >= 2 * FIRST && rows_before_end % step < NEXT;
}

static void leave(void *nothing) {
  struct run_event row = {.kind = RUN_END,
                          .pid = process_state.pid,
                          .status = exit_status,
                          .token = records_are_lost || torn_apart(),
                          .start_ns = own_start()};
  (void)nothing;
  join(0);
  if (!run_state.joined || run_state.left) return;
  run_state.left = 1;
  /* The `darshan` command merges when the program that it started has ended. If processes outlive
   * that merge, the last one removes the rest of the run directory. */
  if (tell(&row) < 0 && !is_open()) return; /* fails on a full disk, too */
  if (unwatched.status) tell_unwatched(&unwatched, unwatched.parent);
  unwatched.status = RUN_WATCHED;
  if (fold_is_due() && is_open()) run_fold();
  if ((run_state.top == 0 && is_open()) || run_others_live()) return;
  if (run_merge() == 0) return;
  DARSHAN_MESSAGE(&darshan_problems,
                  "cannot make the run's log now; make it with darshan recover from the files in ",
                  run_state.folder);
  log_say_problems();
}

void run_left(void) {
  if (is_in_run() && fd_may_change() && process_is_ours()) stack_run(leave, NULL);
}
