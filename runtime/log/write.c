/* Collects the content of a log (metadata and records), writes it, and reports problems. */
#include "write.h"

#include <config.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "../intercept/guard.h"
#include "../intercept/spin.h"
#include "../job/config/config.h"
#include "../job/modules.h"
#include "../job/run-state.h"
#include "../job/runtime.h"
#include "../job/text/text.h"
#include "../names/failed-lookups.h"
#include "../names/path-buffers.h"
#include "compose.h"
#include "compress.h"
#include "owner.h"
#include "ranks/reduce.h"
#include "record-id.h"
#include "save.h"
#include "without-journal.h"

struct log_state log_state;
SELDOM char log_path[DARSHAN_PATH_ROOM];

enum { NUMBER_ROOM = 21 };

/* Writes value as decimal digits, NUL-terminated, at the end of text. Returns the first digit. */
static const char *number_text(char text[NUMBER_ROOM], uint64_t value) {
  int at = NUMBER_ROOM - 1;
  text[at] = '\0';
  do {
    text[--at] = (char)('0' + value % 10);
    value /= 10;
  } while (value);
  return text + at;
}

static void add_number(size_t *used, const char *key, uint64_t value) {
  char text[NUMBER_ROOM];
  *used = darshan_metadata_add(job_state.job.metadata, DARSHAN_JOB_METADATA_LEN, *used, key,
                               number_text(text, value));
}

/* Adds the metadata by which the merger finds the processes of one launch without MPI
 * (util/merge/job/): rank, size and launcher. Adds nothing to a process of MPI, or one that no
 * launcher started with others. used: length of the metadata in bytes. Returns the new length. */
static size_t add_launch(struct darshan_job *job, size_t used) {
  const struct darshan_config *config = &darshan_config;
  char host[sizeof(((struct utsname *)0)->nodename)];
  if (mpi_state.phase != MPI_NOT_YET || !config->launched_by || config->launched_size == 1)
    return used;
  add_number(&used, "rank", (uint64_t)config->launched_rank);
  if (config->launched_size) add_number(&used, "world_size", (uint64_t)config->launched_size);
  used = darshan_metadata_add(job->metadata, sizeof(job->metadata), used, "launcher",
                              config->launched_by);
  if (config->launch[0])
    used =
        darshan_metadata_add(job->metadata, sizeof(job->metadata), used, "launch", config->launch);
  sys_nodename(host, sizeof(host));
  host[strcspn(host, ".")] = '\0';
  used = darshan_metadata_add(job->metadata, sizeof(job->metadata), used, "host", host);
  add_number(&used, "pid", (uint64_t)process_state.pid);
  return used;
}

void log_metadata_start(struct darshan_job *job) {
  size_t used = 0;
  memset(job->metadata, 0, sizeof(job->metadata));
  used = darshan_metadata_add(job->metadata, sizeof(job->metadata), used, "lib_ver", VERSION);
  if (darshan_config.hints && darshan_config.hints[0])
    used =
        darshan_metadata_add(job->metadata, sizeof(job->metadata), used, "h", darshan_config.hints);
  if (process_state.fork_parent)
    add_number(&used, "fork_parent", (uint64_t)process_state.fork_parent);
  used = add_launch(job, used);
  used = darshan_metadata_add(job->metadata, sizeof(job->metadata), used, "clock",
                              darshan_hot.clock.counter_trusted ? CLOCK_COUNTER : "monotonic");
  if (mpi_state.version[0])
    used =
        darshan_metadata_add(job->metadata, sizeof(job->metadata), used, "mpi", mpi_state.version);
  const char *language = darshan_language();
  if (language[0])
    darshan_metadata_add(job->metadata, sizeof(job->metadata), used, "language", language);
}

static void add_module_number(void *used, const char *key, uint64_t value) {
  add_number(used, key, value);
}

static void add_module_text(void *used_, const char *key, const char *value) {
  size_t *used = used_;
  *used = darshan_metadata_add(job_state.job.metadata, DARSHAN_JOB_METADATA_LEN, *used, key, value);
}

/* Returns the numbers of events of this process that were not counted, in the order of
 * dropped_keys. */
static struct facts_dropped dropped_here(void) {
  return (struct facts_dropped){{lost_state.in_handlers, darshan_spin_lost,
                                 lost_state.in_shared_memory, lost_state.without_memory,
                                 lost_state.for_full_tables, lost_state.by_deepbind}};
}

static const char *const dropped_keys[FACTS_DROPPED] = {
    "dropped_in_signal_handlers", "dropped_behind_stalled_threads", "dropped_in_shared_memory",
    "dropped_for_want_of_memory", "dropped_for_full_tables",        "dropped_by_deepbind"};

/* Replaces the numbers of dropped events in the metadata. */
static void set_dropped(struct darshan_job *job, const struct facts_dropped *dropped) {
  for (int i = 0; i < FACTS_DROPPED; i++) {
    darshan_metadata_drop(job->metadata, dropped_keys[i]);
    size_t used = strlen(job->metadata);
    if (dropped->kinds[i]) add_number(&used, dropped_keys[i], dropped->kinds[i]);
  }
}

/* Adds the exit status of a failed process and its last failed lookups, up to 400 bytes. Adds
 * nothing if the process did not fail. */
static void add_failure(struct darshan_job *job) {
  enum { ROOM = 400 };
  static const char *const keys[MISSED_NAMES] = {"not_found", "not_found_2", "not_found_3",
                                                 "not_found_4"};
  char name[MISSED_ROOM];
  size_t begin = strlen(job->metadata), used = begin;
  if (!process_state.failed_with) return;
  add_number(&used, "exit_status", (uint64_t)process_state.failed_with);
  for (unsigned i = 0; i < MISSED_NAMES; i++)
    if (missed_name(i, name) && used - begin + strlen(keys[i]) + strlen(name) < ROOM)
      used = darshan_metadata_add(job->metadata, sizeof(job->metadata), used, keys[i], name);
}

/* Adds the metadata that is known only at exit. */
static void metadata_end(struct darshan_job *job) {
  struct facts_dropped dropped = dropped_here();
  set_dropped(job, &dropped);
  size_t used = strlen(job->metadata);
  add_failure(job);
  used = strlen(job->metadata);
  modules_add_metadata(&(struct modules_metadata){add_module_number, add_module_text}, &used);
  if (darshan_store.frame && !darshan_store.journal.has_file)
    darshan_metadata_add(job->metadata, sizeof(job->metadata), used, "journal", "memory");
}

/* Bits for data that the log lacks, about which note_gaps adds a message: files without any record;
 * dropped calls; data of a module that found no memory; own records of files, because MODMEM is too
 * small. */
enum log_gap { LOG_LACKS_FILES = 1, LOG_LACKS_CALLS = 2, LOG_LACKS_PARTS = 4, LOG_LACKS_ROOM = 8 };

/* Returns 1 if files share records because MODMEM is too small, otherwise 0. */
static int modmem_is_small(void) {
  for (int i = 0; i < STORE_MODULES; i++)
    if (darshan_store.regions[i].folded && darshan_store.regions[i].cut) return 1;
  return 0;
}

static unsigned gaps_here(void) {
  return (darshan_store.unrecorded ? LOG_LACKS_FILES : 0) |
         (lost_state.without_memory || darshan_spin_lost || lost_state.for_full_tables
              ? LOG_LACKS_CALLS
              : 0) |
         (lost_state.parts || darshan_scratch.lacked ? LOG_LACKS_PARTS : 0) |
         (modmem_is_small() ? LOG_LACKS_ROOM : 0);
}

static void note_gaps(unsigned gaps) {
  if (gaps & LOG_LACKS_FILES)
    DARSHAN_MESSAGE(&darshan_problems, "cannot allocate memory: some files are missing in the log ",
                    log_path);
  else if (gaps & LOG_LACKS_PARTS)
    DARSHAN_MESSAGE(&darshan_problems,
                    "cannot allocate memory: records of a module are incomplete in the log ",
                    log_path);
  else if (gaps & LOG_LACKS_ROOM)
    DARSHAN_MESSAGE(&darshan_problems,
                    "DARSHAN_MODMEM is too small: some files have no records of their own, but all "
                    "sums are exact, in the log ",
                    log_path);
  else if (gaps)
    DARSHAN_MESSAGE(&darshan_problems,
                    "the runtime dropped some calls; their number is in the metadata of the log ",
                    log_path);
}

/* Returns the part of a module for the log. Many records of one size are compressed where they are
 * (unless whole is 1), because a copy would double the memory of the process. */
static struct log_part part_of(const struct record_store *store, int module, int whole) {
  const struct store_region *region = &store->regions[module];
  struct log_part part = {.module = region->module_id,
                          .version = region->version,
                          .partial = region->folded != 0,
                          .length = (size_t)region->count * region->record_size,
                          .record_size = region->record_size};
  if (whole || !log_can_pack(region->record_size, region->count))
    part.records = store_records(store, (enum store_module)module);
  else
    part.where = &region->records;
  return part;
}

/* Collects the parts of this process's log. job may be NULL. whole: 1 if the records of each module
 * must be contiguous. Returns 0, or -1 if out of memory. */
static int content_here(struct log_content *content, const char *job, size_t job_length,
                        int whole) {
  const struct record_store *store = &darshan_store;
  *content = (struct log_content){.job = job, .job_length = job_length};
  if (!store->frame) { /* the process had no I/O that is recorded */
    static struct {
      uint64_t id;
      char name[sizeof(USAGE_NAME)];
    } __attribute__((packed)) only = {0, USAGE_NAME};
    only.id = darshan_hash(USAGE_NAME, sizeof(USAGE_NAME) - 1, 0);
    content->names = (const char *)&only;
    content->names_length = sizeof(only);
    modules_add_parts(content);
    return 0;
  }
  content->names = store_all_names(store);
  content->names_length = store->names.used;
  if (!content->names) return -1;
  for (int i = 0; i < STORE_MODULES; i++) {
    const struct store_region *region = &store->regions[i];
    if (region->of == STORE_OF_LAYERS || region->count == 0)
      continue; /* modules_add_parts adds a trimmed copy */
    struct log_part part = part_of(store, i, whole);
    if (!part.records && !part.where) return -1;
    log_content_add(content, &part);
  }
  modules_add_parts(content);
  return 0;
}

/* Fills in the job region of the log. Returns its length in bytes, with the NUL of its text. */
static size_t job_bytes(char out[DARSHAN_JOB_REGION_MAX]) {
  memcpy(out, &job_state.job, sizeof(job_state.job));
  darshan_metadata_drop(((struct darshan_job *)(void *)out)->metadata, OWNER_KEY);
  memcpy(out + sizeof(job_state.job), job_state.text, job_state.text_length + 1);
  return sizeof(job_state.job) + job_state.text_length + 1;
}

/* Adds a message if the log does not have the name in DARSHAN_LOGFILE, because that file exists. */
static void note_name(const struct darshan_log_identity *identity) {
  const char *wanted = darshan_config.logfile, *path = log_path;
  if (wanted && identity->naming == DARSHAN_NAME_NUMBERED && path[0] && strcmp(path, wanted) != 0)
    DARSHAN_MESSAGE(&darshan_problems, "cannot give the log the name ", wanted,
                    ": File exists; the log is ", path);
}

/* Replaces the end of a journal's path by a pattern that matches the journals of all ranks of the
 * job, if the pattern fits. */
static void all_ranks(char *path) {
  static const char pattern[] = "-*.darshan";
  char *end = strrchr(path, '-');
  if (end && (size_t)(end - path) + sizeof(pattern) <= DARSHAN_PATH_ROOM)
    memcpy(end, pattern, sizeof(pattern));
}

/* Adds the message that `what` (the log, or the part of a run) could not be written to the path,
 * and why. The message ends with `records`, which says what happened to the records, and `where`,
 * the path of the journal that has them, or "". */
static void note_unwritten(const char *what, const char *path, const char *records,
                           const char *where) {
  const char *reason = log_error ? darshan_error_text(log_error) : "";
  DARSHAN_MESSAGE(&darshan_problems, "cannot write ", what, " to ", path, log_error ? ": " : "",
                  reason, "; ", records, where);
}

/* Returns the path or folder to which the log should have been written, for a message. */
static const char *wanted_path(const struct darshan_log_identity *identity) {
  int named = darshan_config.logfile && identity->naming != DARSHAN_NAME_MADE;
  return named ? darshan_config.logfile : darshan_config.logpath;
}

static void note_kept(const struct darshan_log_identity *identity, const char *records,
                      const char *journal) {
  const struct mpi_state *mpi = &mpi_state;
  struct path_buffer *path = path_buffer_take();
  int is_job = path && mpi->phase == MPI_RUNNING && mpi->size > 1 && !mpi->by_sessions;
  if (is_job) {
    memcpy(path->bytes, journal, strlen(journal) + 1);
    all_ranks(path->bytes);
    journal = path->bytes;
  }
  note_unwritten("the log", wanted_path(identity), records, journal);
  path_buffer_give(path);
}

static void note_failure(const struct darshan_log_identity *identity) {
  if (torn_apart()) return; /* torn_settle reports it */
  static const char without_traces[] = "the traces are lost, the other records are in ";
  static const char *const records[] = {
      [STORE_KEPT] = "the records are in ",
      [STORE_KEPT_PARTLY] = "some records are lost, the others are in ",
      [STORE_UNSEEN_PARTLY] = "some records are lost, the others may be in ",
      [STORE_UNSEEN] = "the records may be in ",
      [STORE_LOST] = "the records are lost"};
  static const char *const of_run[] = {[STORE_KEPT] = "the run's log gets them from the journal",
                                       [STORE_KEPT_PARTLY] = "the run's log lacks some of them",
                                       [STORE_UNSEEN_PARTLY] = "the run's log lacks some of them",
                                       [STORE_UNSEEN] = "the run's log may lack them",
                                       [STORE_LOST] = "the run's log lacks them"};
  struct journal *journal = &darshan_store.journal;
  enum store_kept kept = store_kept(&darshan_store);
  log_state.has_lost = kept != STORE_KEPT;
  const char *path = journal->path;
  if (kept == STORE_LOST && snapshot_last() == 0) {
    kept = STORE_KEPT;
    path = snapshot_path();
  }
  if (kept == STORE_LOST) journal_remove(journal); /* it holds no records */
  if (run_state.part[0])                           /* the run's log will have the records */
    note_unwritten("the records of a process", run_state.part, of_run[kept], "");
  else if (kept == STORE_LOST)
    note_unwritten("the log", wanted_path(identity), records[kept], "");
  else
    note_kept(identity,
              kept == STORE_KEPT && lost_state.has_traces ? without_traces : records[kept], path);
}

void log_end_now(struct darshan_job *job) {
  struct timespec now = clock_wall(&darshan_hot.clock);
  job->end_time_sec = now.tv_sec;
  job->end_time_nsec = now.tv_nsec;
  metadata_end(job);
}

int log_write(void) {
  char job[DARSHAN_JOB_REGION_MAX];
  struct log_content content;
  struct log_draft draft;
  uint64_t begun = clock_ns(CLOCK_MONOTONIC);
  log_end_now(&job_state.job);
  struct darshan_log_identity identity = runtime_identity();
  log_round_times(&darshan_store);
  log_error = 0;
  int result = content_here(&content, job, job_bytes(job), 0);
  if (result == 0) result = log_compose(&draft, &content);
  if (result < 0) log_error = ENOMEM;
  if (torn_apart()) result = -1; /* the draft was made from zeros, not from records */
  if (result == 0) {
    result = identity.part ? log_save_packed(&draft) : -1;
    if (result < 0) result = log_save(&draft, &darshan_config, &identity, begun, log_path);
    if (result < 0) result = log_save_elsewhere(&draft, &identity, begun, log_path);
  }
  /* The draft is not freed, because the process ends. */
  if (result < 0)
    note_failure(&identity);
  else
    note_name(&identity);
  if (result == 0) note_gaps(gaps_here());
  log_state.write_cost_ns = clock_ns(CLOCK_MONOTONIC) - begun;
  return result;
}

/* --- the log of all ranks ---------------------------------------------------------- */

struct of_ranks {
  unsigned gaps; /* gaps of this rank; in the end, in rank 0, those of all ranks */
  int rank;
};

static int ranks_content(void *context, const struct facts *agreed, struct log_content *content) {
  struct of_ranks *ranks = context;
  double variances[2];
  facts_variances(agreed, variances);
  modules_agree_on_last(agreed->times.last);
  modules_agree_on_variances(variances, agreed->spread.first == ranks->rank);
  int result = content_here(content, NULL, 0, 1);
  ranks->gaps |= gaps_here();
  return result;
}

/* Adds to the metadata the numbers of nodes and processors, and the names of as many nodes as
 * fit. */
static void add_hosts(struct darshan_job *job, const struct facts *agreed) {
  enum { HOSTS_ROOM = 256 };
  char line[HOSTS_ROOM], number[16];
  struct darshan_text text = darshan_text_in(line, sizeof(line)), count;
  size_t used = strlen(job->metadata);
  count = darshan_text_in(number, sizeof(number));
  darshan_text_unsigned(&count, agreed->num_hosts);
  if (agreed->num_hosts == FACTS_HOSTS) darshan_text_add(&count, "+");
  used = darshan_metadata_add(job->metadata, sizeof(job->metadata), used, "nodes", number);
  count = darshan_text_in(number, sizeof(number));
  darshan_text_unsigned(&count, facts_processors(agreed));
  if (facts_processors(agreed))
    used = darshan_metadata_add(job->metadata, sizeof(job->metadata), used, "processors", number);
  for (uint32_t i = 0; i < agreed->num_hosts; i++) {
    if (text.length + FACTS_HOST_ROOM + sizeof(",...") > sizeof(line)) {
      darshan_text_add(&text, ",...");
      break;
    }
    if (i > 0) darshan_text_add(&text, ",");
    darshan_text_add(&text, agreed->hosts[i].name);
  }
  darshan_metadata_add(job->metadata, sizeof(job->metadata), used, "hosts", line);
}

/* Returns the processors that this process may use. Sets no bit if a processor's number is too
 * large or the kernel reports no processors. */
static struct rank_processors processors_here(void) {
  enum { WORDS = 128 }; /* the kernel needs space for every possible processor */
  static uint64_t bits[WORDS];
  struct rank_processors here = {{0}};
  long bytes = sys_sched_getaffinity(sizeof(bits), bits);
  for (long i = RANK_PROCESSOR_WORDS; i < bytes / (long)sizeof(*bits); i++)
    if (bits[i]) return here;
  for (int i = 0; i < RANK_PROCESSOR_WORDS && i < bytes / (long)sizeof(*bits); i++)
    here.bits[i] = bits[i];
  return here;
}

static size_t ranks_job(void *context, const struct facts *agreed, char *out) {
  struct darshan_job *job = &job_state.job;
  ((struct of_ranks *)context)->gaps = agreed->gaps;
  job->start_time_sec = agreed->times.start_sec;
  job->start_time_nsec = agreed->times.start_nsec;
  job->end_time_sec = agreed->times.end_sec;
  job->end_time_nsec = agreed->times.end_nsec;
  set_dropped(job, &agreed->dropped);
  add_hosts(job, agreed);
  return job_bytes(out);
}

static uint64_t record_bytes(const struct record_store *store) {
  uint64_t bytes = 0;
  for (int i = 0; i < STORE_MODULES; i++)
    bytes += (uint64_t)store->regions[i].count * store->regions[i].record_size;
  return bytes;
}

int log_write_ranks(struct rank_comm *comm) {
  struct record_store *store = &darshan_store;
  uint64_t begun = clock_ns(CLOCK_MONOTONIC);
  log_end_now(&job_state.job);
  log_round_times(store);
  const char *names = store->frame ? store_all_names(store) : NULL;
  struct of_ranks ranks = {gaps_here(), comm->rank};
  double times[2];
  struct reduce_source source = {
      .rank = mpi_state.rank,
      .nprocs = job_state.job.nprocs,
      .keep_ranks = darshan_config.no_reduction,
      .limits = reduce_default_limits,
      .host = mpi_state.host,
      .processors = processors_here(),
      .names = names ? names : "",
      .names_length = names ? store->names.used : 0,
      .bytes = record_bytes(store),
      .gaps = &ranks.gaps,
      .dropped = dropped_here(),
      .times = {job_state.job.start_time_sec, job_state.job.start_time_nsec,
                job_state.job.end_time_sec, job_state.job.end_time_nsec, modules_last()},
      .spread = modules_times(times) ? facts_spread_of(times, comm->rank)
                                     : (struct facts_spread){.ranks = 0},
      .context = &ranks,
      .content = ranks_content,
      .job = ranks_job,
      .config = &darshan_config,
      .identity = runtime_identity(),
      .begun_ns = begun,
      .final_path = log_path};
  log_error = 0;
  int result = reduce_all(comm, &source);
  if (result < 0)
    note_failure(&source.identity);
  else if (comm->rank == 0)
    note_name(&source.identity);
  if (result == 0) note_gaps(comm->rank == 0 ? ranks.gaps | gaps_here() : 0);
  log_state.write_cost_ns = clock_ns(CLOCK_MONOTONIC) - begun;
  return result;
}

/* --- the line on stderr -------------------------------------------------------------- */

static size_t put(char *out, size_t used, const char *text) {
  size_t n = strlen(text);
  memcpy(out + used, text, n);
  return used + n;
}

static size_t put_number(char *out, size_t used, uint64_t value) {
  char text[NUMBER_ROOM];
  return put(out, used, number_text(text, value));
}

static size_t timing_line(char *out) {
  size_t used = put(out, 0, "darshan: start ");
  used = put_number(out, used, log_state.start_cost_ns / 1000);
  used = put(out, used, " us, writing the log ");
  used = put_number(out, used, log_state.write_cost_ns / 1000);
  return put(out, used, " us\n");
}

/* Prints this process's problems, or the times of DARSHAN_INTERNAL_TIMING, as one line on stderr.
 * Returns 1 if it printed, otherwise 0. Prints nothing and returns 0 if there is nothing to report,
 * or if stderr is another file than at the start. Not inlined, because torn_settle, which runs
 * before it, needs as much stack. */
__attribute__((noinline)) static int say_line(void) {
  char line[512];
  struct stat st;
  size_t length = darshan_messages_line(&darshan_problems, line, sizeof(line));
  if (length == 0 && darshan_config.internal_timing) length = timing_line(line);
  darshan_problems.count = 0; /* so that problems and times are printed once */
  darshan_config.internal_timing = 0;
  if (length == 0 || sys_fstat(2, &st) < 0) return 0;
  if (st.st_dev != log_state.stderr_dev || st.st_ino != log_state.stderr_ino) return 0;
  return say_on_stderr(&st, line, length);
}

int log_say_problems(void) {
  torn_settle();
  return runtime_may_leave_files() && say_line();
}
