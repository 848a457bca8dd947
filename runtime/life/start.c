/* Starts recording. fork.c handles forks, end.c the end, mpi/init-finalize.c the start and end of
 * ranks. */
#include "life.h"

#include <config.h> /* autoconf's */
#include <errno.h>
#include <libc-process.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "../intercept/loader/conditional-export.h"
#include "../intercept/loader/linked.h"
#include "../intercept/loader/loader.h"
#include "../intercept/memory.h"
#include "../intercept/signals/signals.h"
#include "../intercept/spin.h"
#include "../intercept/stack.h"
#include "../job/modules.h"
#include "../job/run-state.h"
#include "../job/runtime.h"
#include "../log/without-journal.h"
#include "../log/write.h"
#include "../names/groups.h"
#include "../names/path-buffers.h"
#include "confine/confine.h"
#include "run/children.h"
#include "run/run.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

enum { PAGE = 4096 };

static int prepare_memory(void) {
  darshan_group_rules.each_program_file = darshan_config.program_files;
  darshan_group_rules.count = darshan_config.program_trees.count;
  memcpy(darshan_group_rules.tree, darshan_config.program_trees.word,
         sizeof(darshan_group_rules.tree));
  darshan_group_program(darshan_config.exe);
  darshan_hot.phase_page = private_memory(PAGE);
  darshan_hot.fds = private_memory(RUNTIME_FDS * sizeof(struct fd_entry));
  if (!darshan_hot.phase_page || !darshan_hot.fds) return -1;
  sys_madvise(runtime_phase_word(), PAGE, MADV_WIPEONFORK);
  return modules_prepare();
}

/* Lays out the store, whose memory a process without records does not need. Called in the phase
 * RUNTIME_PREPARING. Returns 0, or -1 if out of memory. */
static int prepare_store(void) {
  struct store_limits limits;
  if (darshan_store.index) return 0;
  modules_limits(&limits, &darshan_config);
  return store_prepare(&darshan_store, modules_shapes, &limits);
}

/* Lays out the store again in a rank that has no record yet, because a rank has other limits.
 * Does nothing if another thread has begun to record. */
static void prepare_rank(void) {
  uint32_t ready = RUNTIME_READY, preparing = RUNTIME_PREPARING;
  uint64_t mask = signals_block();
  if (__atomic_compare_exchange_n(runtime_phase_word(), &ready, RUNTIME_PREPARING, 0,
                                  __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
    prepare_store(); /* if this fails for lack of memory, the first record fails, too */
    __atomic_compare_exchange_n(runtime_phase_word(), &preparing, RUNTIME_READY, 0,
                                __ATOMIC_RELEASE, __ATOMIC_RELAXED);
  }
  signals_restore(mask);
}

void runtime_note_no_memory(void) {
  darshan_store.unrecorded = 1;
  DARSHAN_MESSAGE(&darshan_problems,
                  "cannot allocate memory for records; this process leaves no log");
}

static void remember_stderr(void) {
  struct stat st;
  if (sys_fstat(2, &st) < 0) return;
  log_state.stderr_dev = st.st_dev;
  log_state.stderr_ino = st.st_ino;
}

/* Completes the start: prepares the memory, registers the handlers of fork, and makes wrappers
 * record from now on. If memory is missing, the process does not record. */
static void switch_on(void) {
  filter_look();
  process_state.pid = process_state.first_pid = sys_getpid();
  remember_stderr();
  if (prepare_memory() < 0) {
    runtime_note_no_memory();
    lost_state.parts = 1; /* a rank that gets memory only in MPI_Init lacks all earlier events */
    log_say_problems();
    return;
  }
  pthread_atfork(runtime_forking, daemon_forked, runtime_forked);
  if (darshan_config.dump && runtime_may_leave_files()) darshan_config_dump(&darshan_config, 2);
  log_state.start_cost_ns = clock_ns(CLOCK_MONOTONIC) - darshan_hot.clock.first_ns;
  __atomic_store_n(runtime_phase_word(), RUNTIME_READY, __ATOMIC_RELEASE);
  run_started();
  __atomic_store_n(&darshan_hot.fd_limit, RUNTIME_FDS, __ATOMIC_RELEASE);
}

/* Returns 1 if the administrators have switched Darshan off by a file, otherwise 0. */
static int switched_off(void) {
  int fd = sys_open(DARSHAN_OFF_FILE, O_PATH, 0); /* an inherited filter may forbid faccessat */
  if (fd >= 0) sys_close(fd);
  return fd >= 0;
}

/* Returns 1 if the program has raised rights (set-user-id, set-group-id, capabilities of its file).
 * Otherwise returns 0. Any user may have started it, so its environment must not name files that
 * are read, written or made with these rights. The runtime then reads no setting and records
 * nothing. */
static int has_raised_rights(void) {
  return getauxval(AT_SECURE) != 0;
}

void runtime_start(int argc, char **argv, char **envp) {
  if (darshan_hot.phase_page) return;
  if (has_raised_rights() || switched_off()) {
    darshan_config.disabled = true;
    return;
  }
  sys_gate_look();
  if (linked_behind_another()) {
    darshan_config.disabled = true;
    return;
  }
  clock_start(&darshan_hot.clock);
  darshan_config_load(&darshan_config, envp, argc, argv, &darshan_problems);
  if (!darshan_config_active(&darshan_config)) return;
  const struct darshan_config *config = &darshan_config;
  if (!config->nonmpi && !mpi_may_come()) return;
  if (!run_find(config, argc, argv, envp)) return;
  if (!darshan_rank_excluded(config, 0)) switch_on();
}

void runtime_meet_program(void) {
  const struct darshan_config *config = &darshan_config;
  if (!config->exe || darshan_hot.phase_page)
    return; /* recording was not started, or is already on */
  if (config->nonmpi || !mpi_may_come()) return;
  if (!darshan_rank_excluded(config, 0)) switch_on();
}

/* Stores the path of this process's journal, or an empty path if there can be no journal: a
 * filter forbids the calls that it needs, or the path is too long. */
static void name_journal(char *path, size_t room) {
  struct darshan_log_identity identity = runtime_journal_identity();
  if (!sys_may(SYS_ftruncate) || !sys_may(SYS_pwrite64) || !sys_may(SYS_unlinkat) ||
      !darshan_journal_path(path, room, &darshan_config, &identity))
    path[0] = '\0';
}

/* Moves the records from private memory into a journal, at the first record or later. If that is
 * impossible, begins snapshots (log/without-journal.h), or tells the run that this process has no
 * journal. Called without any lock, so other threads continue to record. */
static void keep_journal(void) {
  struct record_store *store = &darshan_store;
  runtime_describe_job(1);
  runtime_add_owner(&job_state.job);
  name_journal(store->journal.path, sizeof(store->journal.path));
  if (!store_lock(store)) return;
  store_set_job(store, &job_state.job, job_state.text, job_state.text_length + 1);
  store_unlock(store);
  if (store_keep(store) < 0) {
    if (!store->journal.unsafe) {
      run_note_unkept();
      return;
    }
    name_journal(store->journal.path, sizeof(store->journal.path));
    snapshot_begin();
    return;
  }
  torn_watch();
  if (process_state.fork_parent && !run_state.joined) children_add_self();
}

/* Makes the memory for records in the first thread that calls it, and returns 1 there; if memory is
 * exhausted, ends recording. Returns 0 at once in other threads. They then wait for the end of
 * RUNTIME_PREPARING, so this maps memory and uses no file system. */
static int begin_in_memory(void) {
  uint32_t ready = RUNTIME_READY;
  uint64_t mask = signals_block();
  int first = __atomic_compare_exchange_n(runtime_phase_word(), &ready, RUNTIME_PREPARING, 0,
                                          __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
  if (first && (prepare_store() < 0 || store_begin(&darshan_store) < 0)) {
    __atomic_store_n(&darshan_hot.fd_limit, 0, __ATOMIC_RELAXED);
    runtime_note_no_memory();
    __atomic_store_n(runtime_phase_word(), RUNTIME_FINISHED, __ATOMIC_RELEASE);
  } else if (first) {
    uint32_t preparing =
        RUNTIME_PREPARING; /* the exchange below fails if another thread has ended recording */
    int shared = __atomic_load_n(&process_state.sharers, __ATOMIC_SEQ_CST) != 0;
    __atomic_compare_exchange_n(runtime_phase_word(), &preparing,
                                shared ? RUNTIME_SHARED : RUNTIME_RECORDING, 0, __ATOMIC_RELEASE,
                                __ATOMIC_RELAXED);
  }
  signals_restore(mask);
  return first;
}

static void begin_recording(void *begun) {
  int first;
  do {
    first = begin_in_memory();
    while (runtime_phase() == RUNTIME_PREPARING)
      SYS1(SYS_sched_yield, 0);
  } while (!first && runtime_phase() ==
                         RUNTIME_READY); /* repeats if prepare_rank has set RUNTIME_READY again */
  if (!runtime_is_recording(runtime_phase())) return;
  if (first && runtime_may_leave_files()) keep_journal();
  *(int *)begun = 1;
}

int runtime_begin_recording(void) {
  int begun = 0;
  if (stack_run(begin_recording, &begun) < 0)
    __atomic_add_fetch(&lost_state.without_memory, 1, __ATOMIC_RELAXED);
  return begun ? 0 : -1;
}

/* Turns records that began before MPI_Init into the records of this rank. */
static void take_rank_over(void) {
  struct record_store *store = &darshan_store;
  int recording = runtime_is_recording(runtime_phase());
  if (!recording) prepare_rank();
  if (recording) runtime_describe_job(1);
  if (recording) runtime_add_owner(&job_state.job);
  while (!store_lock(store)) /* repeated, because the rank's number must be stored */
    ;
  store_set_rank(store, mpi_state.rank);
  modules_limit_rank(store, &darshan_config);
  if (recording) store_set_job(store, &job_state.job, NULL, 0);
  store_unlock(store);
  if (!recording) return;
  if (!store->journal.has_file) {
    keep_journal();
    return;
  }
  struct path_buffer *path = path_buffer_take();
  if (!path) return;
  name_journal(path->bytes, DARSHAN_PATH_ROOM);
  journal_rename(&store->journal, path->bytes);
  path_buffer_give(path);
}

void runtime_refit(void) {
  struct darshan_clock *clock = &darshan_hot.clock;
  if (clock->counter_trusted)
    clock_refit(clock);
  else /* no limits to lower, but snapshots need a call each second */
    __atomic_store_n(&clock->refit_at, clock_ticks(clock) + NS_PER_SECOND, __ATOMIC_RELAXED);
  snapshot_look();
}

static void start_rank(void *nothing) {
  (void)nothing;
  int excluded = darshan_rank_excluded(&darshan_config, mpi_state.rank);
  if (darshan_hot.fd_limit && excluded) {
    runtime_drop_records();
  } else if (darshan_hot.fd_limit) {
    take_rank_over();
  } else if (!darshan_hot.phase_page && !excluded) {
    clock_start(&darshan_hot.clock);
    switch_on();
    if (darshan_hot.fd_limit) prepare_rank();
    store_set_rank(&darshan_store, mpi_state.rank);
    modules_limit_rank(&darshan_store, &darshan_config);
  }
}

void runtime_start_rank(void) {
  stack_run_anyway(start_rank, NULL);
}

/* Called if GUARD_BUSY is set. Returns 1, and releases the update's locks, if longjmp abandoned the
 * frame of that update. Returns 0 if a signal handler interrupted the update and now records an
 * event. On an alternate stack the two cannot be distinguished, and the result is 0. */
static int update_was_left(const char *frame) {
  frame = stack_frame(frame);
  if (frame + GUARD_SAME_CALLER < guard_frame() || stack_is_alternate(frame)) return 0;
  spin_release_left();
  runtime_let_go();
  return 1;
}

/* Returns 1 in another process that shares this memory, otherwise 0: also in a forked child, where
 * the kernel has wiped the phase. */
static int in_another_process(void) {
  return process_state.sharers && runtime_phase() != RUNTIME_OFF &&
         sys_getpid() != process_state.pid;
}

static void become_child(void *nothing) {
  (void)nothing;
  runtime_become_child();
}

int runtime_enter_slow(const char *frame) {
  if (darshan_guard & GUARD_MUTED) return 0;
  if (!darshan_hot.fd_limit) return 0;
  if (!fd_may_change() || in_another_process()) {
    __atomic_add_fetch(&lost_state.in_shared_memory, 1, __ATOMIC_RELAXED);
    return 0;
  }
  if ((darshan_guard & GUARD_BUSY) && !update_was_left(frame)) {
    __atomic_add_fetch(&lost_state.in_handlers, 1, __ATOMIC_RELAXED);
    return 0;
  }
  uint32_t phase = runtime_phase();
  if (phase == RUNTIME_OFF) { /* forked without libc's atfork handlers */
    stack_run_anyway(become_child, NULL);
    if (!darshan_hot.fd_limit) return 0;
    phase = runtime_phase();
  }
  darshan_guard = (darshan_guard & GUARD_FLAGS) | guard_busy(frame);
  floats_take(&darshan_floats);
  COMPILER_FENCE();
  if ((phase == RUNTIME_READY || phase == RUNTIME_PREPARING) && runtime_begin_recording() == 0)
    phase = RUNTIME_RECORDING;
  if (phase == RUNTIME_SHARED) snapshot_take();
  if (runtime_is_recording(phase)) return 1;
  runtime_leave();
  return 0;
}

__attribute__((constructor)) static void start(int argc, char **argv, char **envp) {
  int saved = errno;
  struct floats floats;
  floats_take(&floats);
  libc_arguments(&argc, &argv, &envp);
  loader_look();
  shown_settle();
  runtime_start(argc, argv, envp);
  last_arrange();
  floats_give(&floats);
  errno = saved;
}

__attribute__((destructor)) static void finish(void) {
  last_destructor();
}
