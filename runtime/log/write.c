#include "write.h"

#include <config.h>
#include <string.h>
#include <time.h>

#include "../intercept/sys.h"
#include "../job/runtime.h"
#include "compress.h"

/* A log being put together in memory. */
struct draft {
  struct log_compressor compressor;
  char *bytes;
  size_t used, room;
};

enum { NUMBER_ROOM = 21 };

/* Decimal digits at the end of text; returns their start. */
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
  *used = darshan_metadata_add(darshan_rt.job.metadata, DARSHAN_JOB_METADATA_LEN, *used, key,
                               number_text(text, value));
}

void log_metadata_start(struct darshan_job *job) {
  size_t used = 0;
  memset(job->metadata, 0, sizeof(job->metadata));
  used = darshan_metadata_add(job->metadata, sizeof(job->metadata), used, "lib_ver", VERSION);
  if (darshan_rt.fork_parent) add_number(&used, "fork_parent", (uint64_t)darshan_rt.fork_parent);
  used = darshan_metadata_add(job->metadata, sizeof(job->metadata), used, "clock",
                              darshan_rt.clock.counter_trusted ? "tsc" : "monotonic");
}

/* What only the end knows. */
static void metadata_end(struct darshan_job *job) {
  size_t used = strlen(job->metadata);
  if (darshan_rt.dropped) add_number(&used, "dropped_in_signal_handlers", darshan_rt.dropped);
  if (darshan_rt.posix.overflow_names)
    add_number(&used, "posix_files_in_overflow", darshan_rt.posix.overflow_names);
  if (darshan_rt.store.regions[STORE_STDIO].refused)
    add_number(&used, "stdio_streams_in_overflow", darshan_rt.store.regions[STORE_STDIO].refused);
  if (darshan_rt.store.journal.base && !darshan_rt.store.journal.has_file)
    darshan_metadata_add(job->metadata, sizeof(job->metadata), used, "journal", "memory");
}

static int add_stream(struct draft *draft, const void *in, size_t n,
                      struct darshan_region *region) {
  if (n == 0) return 0;
  size_t length = log_compress(&draft->compressor, in, n, draft->bytes + draft->used,
                               draft->room - draft->used);
  if (length == 0) return -1;
  region->off = draft->used;
  region->len = length;
  draft->used += length;
  return 0;
}

static size_t region_bytes(const struct store_region *region) {
  return (size_t)region->count * region->record_size;
}

static int add_job(struct draft *draft) {
  char text[DARSHAN_JOB_REGION_MAX];
  struct darshan_region ignored;
  memcpy(text, &darshan_rt.job, sizeof(darshan_rt.job));
  memcpy(text + sizeof(darshan_rt.job), darshan_rt.job_text, darshan_rt.job_text_length + 1);
  return add_stream(draft, text, sizeof(darshan_rt.job) + darshan_rt.job_text_length + 1, &ignored);
}

static int add_annex(struct draft *draft) {
  const struct record_store *store = &darshan_rt.store;
  const struct store_region *region = &store->regions[STORE_POSIX_EXT];
  struct darshan_annex_block block = {.module = (uint32_t)region->module_id,
                                      .version = region->version,
                                      .comp_type = DARSHAN_ZLIB,
                                      .flags = region->overflow ? DARSHAN_ANNEX_PARTIAL : 0,
                                      .raw_len = region_bytes(region)};
  struct darshan_annex_trailer trailer = {.version = DARSHAN_ANNEX_VERSION, .num_blocks = 1};
  struct darshan_region stored = {0, 0};
  if (region->count == 0) return 0;
  trailer.offset = draft->used;
  draft->used += sizeof(block);
  if (add_stream(draft, store->journal.base + region->part.start, block.raw_len, &stored) < 0)
    return -1;
  block.stored_len = stored.len;
  memcpy(draft->bytes + trailer.offset, &block, sizeof(block));
  trailer.length = draft->used - trailer.offset;
  trailer.checksum = log_checksum(draft->bytes + trailer.offset, trailer.length);
  memcpy(trailer.magic, DARSHAN_ANNEX_MAGIC, sizeof(trailer.magic));
  memcpy(draft->bytes + draft->used, &trailer, sizeof(trailer));
  draft->used += sizeof(trailer);
  return 0;
}

static int add_records(struct draft *draft, struct darshan_header *header) {
  const struct record_store *store = &darshan_rt.store;
  if (!store->journal.base) return 0; /* there was no I/O */
  if (add_stream(draft, store->journal.base + store->names.start, store->names_used,
                 &header->names) < 0)
    return -1;
  for (int i = 0; i < STORE_MODULES; i++) {
    const struct store_region *region = &store->regions[i];
    int id = region->module_id;
    if (id >= DARSHAN_MAX_MODULES || region->count == 0) continue;
    header->module_versions[id] = region->version;
    if (region->overflow) header->partial_flag |= UINT64_C(1) << id;
    if (add_stream(draft, store->journal.base + region->part.start, region_bytes(region),
                   &header->modules[id]) < 0)
      return -1;
  }
  return add_annex(draft);
}

static int compose(struct draft *draft) {
  const struct record_store *store = &darshan_rt.store;
  size_t room = sizeof(struct darshan_header) + log_compress_bound(DARSHAN_JOB_REGION_MAX) +
                log_compress_bound(store->names_used) + 4096;
  for (int i = 0; i < STORE_MODULES; i++)
    room += log_compress_bound(region_bytes(&store->regions[i]));
  *draft =
      (struct draft){{NULL}, journal_private_memory(room), sizeof(struct darshan_header), room};
  if (!draft->bytes) return -1;
  struct darshan_header header = {
      .version = DARSHAN_LOG_VERSION, .magic = DARSHAN_LOG_MAGIC, .comp_type = DARSHAN_ZLIB};
  if (add_job(draft) < 0 || add_records(draft, &header) < 0) return -1;
  memcpy(draft->bytes, &header, sizeof(header));
  return 0;
}

static int write_all(int fd, const char *bytes, size_t n) {
  while (n > 0) {
    ssize_t written = sys_write(fd, bytes, n);
    if (written == -4 /* EINTR */) continue;
    if (written <= 0) return -1;
    bytes += written;
    n -= (size_t)written;
  }
  return 0;
}

/* Creates the file; a missing folder is made. */
static int create(const char *path) {
  int fd = sys_open(path, O_WRONLY | O_CREAT | O_EXCL, DARSHAN_LOG_MODE);
  if (fd != -2 /* ENOENT */ || darshan_make_folders(path) < 0) return fd;
  return sys_open(path, O_WRONLY | O_CREAT | O_EXCL, DARSHAN_LOG_MODE);
}

/* Never replaces a log.  File systems that cannot rename like that can link. */
static int give_name(const char *partial, const char *final) {
  int result = sys_rename_new(partial, final);
  if (result != -22 /* EINVAL */ && result != -38 /* ENOSYS */) return result;
  result = sys_link(partial, final);
  if (result == 0) sys_unlink(partial);
  return result;
}

static int save(const struct draft *draft, const char *partial, uint64_t begun_ns) {
  int fd = create(partial);
  if (fd < 0) return -1;
  int result = write_all(fd, draft->bytes, draft->used);
  if (result == 0 && (DARSHAN_LOG_MODE & 077)) result = sys_fchmod(fd, DARSHAN_LOG_MODE);
  sys_close(fd);
  uint64_t seconds = (clock_ns(CLOCK_MONOTONIC) - begun_ns) / 1000000000u;
  if (result < 0 ||
      !darshan_final_path(darshan_rt.log_path, sizeof(darshan_rt.log_path), &darshan_rt.config,
                          partial, (int64_t)seconds) ||
      give_name(partial, darshan_rt.log_path) < 0) {
    sys_unlink(partial);
    return -1;
  }
  return 0;
}

static void note_failure(const char *path) {
  const struct journal *journal = &darshan_rt.store.journal;
  if (journal->base && journal->has_file)
    darshan_message_add(&darshan_rt.messages, "the log",
                        "cannot be written, the records are kept in", journal->path,
                        strlen(journal->path));
  else
    darshan_message_add(&darshan_rt.messages, "the log", "cannot be written", path, strlen(path));
}

int log_write(void) {
  char partial[DARSHAN_PATH_ROOM];
  struct draft draft;
  struct timespec now;
  uint64_t begun = clock_ns(CLOCK_MONOTONIC);
  clock_gettime(CLOCK_REALTIME, &now);
  darshan_rt.job.end_time_sec = now.tv_sec;
  darshan_rt.job.end_time_nsec = now.tv_nsec;
  metadata_end(&darshan_rt.job);
  struct darshan_log_identity identity = {darshan_rt.job.jobid, darshan_rt.pid, 0,
                                          darshan_rt.job.start_time_sec};
  int result = -1;
  if (darshan_partial_path(partial, sizeof(partial), &darshan_rt.config, &identity)) {
    if (compose(&draft) == 0) result = save(&draft, partial, begun);
  }
  if (result < 0) note_failure(darshan_rt.config.logpath);
  darshan_rt.write_cost_ns = clock_ns(CLOCK_MONOTONIC) - begun;
  return result;
}

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
  used = put_number(out, used, darshan_rt.start_cost_ns / 1000);
  used = put(out, used, " us, writing the log ");
  used = put_number(out, used, darshan_rt.write_cost_ns / 1000);
  return put(out, used, " us\n");
}

void log_say_problems(void) {
  char line[512];
  struct stat st;
  size_t length = darshan_messages_line(&darshan_rt.messages, line, sizeof(line));
  if (length == 0 && darshan_rt.config.internal_timing) length = timing_line(line);
  if (length == 0 || SYS2(SYS_fstat, 2, &st) < 0) return;
  if (st.st_dev != darshan_rt.stderr_dev || st.st_ino != darshan_rt.stderr_ino) return;
  sys_write(2, line, length);
}
