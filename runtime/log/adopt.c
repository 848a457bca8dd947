/* Makes a log from the journal of a process that has ended (save.h). */
#include "save.h"

#include <string.h>
#include <sys/mman.h>

#include "../counting/clock.h"
#include "../intercept/sys/sys.h"
#include "../job/text/jobtext.h"
#include "../records/after-chroot.h"
#include "log-format.h"
#include "owner.h"

/* The journal in memory. */
struct mapped {
  const char *base;
  size_t size; /* in bytes */
};

static int map_journal(struct mapped *map, const char *path, dev_t dev, ino_t ino) {
  struct stat st;
  int fd = outside_open(path, O_RDONLY | O_NOFOLLOW, 0);
  if (fd < 0) return -1;
  *map = (struct mapped){(const char *)-1L, 0};
  if (sys_fstat(fd, &st) == 0 && st.st_dev == dev && st.st_ino == ino &&
      (size_t)st.st_size > sizeof(struct darshan_header) + DARSHAN_JOB_REGION_MAX) {
    map->size = (size_t)st.st_size;
    map->base = sys_mmap(NULL, map->size, PROT_READ, MAP_PRIVATE, fd, 0);
  }
  sys_close(fd);
  return sys_failed(map->base) ? -1 : 0;
}

static int inside(const struct mapped *map, uint64_t off, uint64_t len) {
  return off <= map->size && len <= map->size - off;
}

static void add_part(struct log_content *content, int module, uint32_t version, int partial,
                     const char *records, size_t length) {
  struct log_part part = {.module = module,
                          .partial = partial,
                          .version = version,
                          .records = records,
                          .length = length};
  log_content_add(content, &part);
}

/* Adds the records of the journal's annex to the content, up to the first damaged block; none if
 * the journal has no annex yet. The blocks of the annex are contiguous, and stored_len of each
 * block includes its reserved space. */
static void add_annex(struct log_content *content, const struct mapped *map) {
  struct darshan_annex_trailer trailer;
  struct darshan_annex_block block;
  memcpy(&trailer, map->base + map->size - sizeof(trailer), sizeof(trailer));
  if (memcmp(trailer.magic, DARSHAN_ANNEX_MAGIC, sizeof(trailer.magic)) != 0) return;
  uint64_t at = trailer.offset;
  for (uint32_t i = 0; i < trailer.num_blocks && inside(map, at, sizeof(block)); i++) {
    memcpy(&block, map->base + at, sizeof(block));
    at += sizeof(block);
    if (!inside(map, at, block.stored_len) || block.raw_len > block.stored_len) return;
    add_part(content, (int)block.module, block.version, block.flags & DARSHAN_ANNEX_PARTIAL,
             map->base + at, block.raw_len);
    at += block.stored_len;
  }
}

static int find_records(struct log_content *content, const struct mapped *map) {
  struct darshan_header header;
  memcpy(&header, map->base, sizeof(header));
  if (header.magic != DARSHAN_LOG_MAGIC || header.comp_type != DARSHAN_UNCOMPRESSED ||
      !inside(map, header.names.off, header.names.len))
    return -1;
  content->names = map->base + header.names.off;
  content->names_length = header.names.len;
  for (int id = 0; id < DARSHAN_MAX_MODULES; id++) {
    const struct darshan_region *region = &header.modules[id];
    if (!inside(map, region->off, region->len)) return -1;
    add_part(content, id, header.module_versions[id], header.partial_flag >> id & 1,
             map->base + region->off, region->len);
  }
  add_annex(content, map);
  return 0;
}

/* Completes the job record of a journal: sets the end time to now, because nothing tells when the
 * process ended; replaces the owner in the metadata by a note (key "end") about this. */
static void end_now(struct darshan_job *job) {
  uint64_t ns = clock_ns(CLOCK_REALTIME);
  job->end_time_sec = (int64_t)(ns / NS_PER_SECOND);
  job->end_time_nsec = (int64_t)(ns % NS_PER_SECOND);
  job->metadata[DARSHAN_JOB_METADATA_LEN - 1] = '\0';
  darshan_metadata_drop(job->metadata, OWNER_KEY);
  darshan_metadata_add(job->metadata, sizeof(job->metadata), strlen(job->metadata), "end",
                       "not seen; log written from its journal when it was gone");
}

int log_adopt(const char *path, dev_t dev, ino_t ino, int64_t pid,
              const struct darshan_config *config) {
  union {
    struct darshan_job record;
    char bytes[DARSHAN_JOB_REGION_MAX];
  } job;
  char final[DARSHAN_PATH_ROOM];
  struct log_content content = {.job = job.bytes};
  struct log_draft draft = {NULL, 0, 0};
  struct mapped map;
  uint64_t begun = clock_ns(CLOCK_MONOTONIC);
  if (map_journal(&map, path, dev, ino) < 0) return -1;
  memcpy(job.bytes, map.base + sizeof(struct darshan_header), sizeof(job.bytes));
  job.bytes[sizeof(job.bytes) - 1] = '\0';
  end_now(&job.record);
  content.job_length = sizeof(job.record) + strlen(job.bytes + sizeof(job.record)) + 1;
  struct darshan_log_identity identity = {.jobid = job.record.jobid,
                                          .pid = pid,
                                          .start_time = job.record.start_time_sec,
                                          .naming = DARSHAN_NAME_MADE};
  int result = find_records(&content, &map);
  if (result == 0) result = log_compose(&draft, &content);
  if (result == 0) result = log_save(&draft, config, &identity, begun, final);
  if (result == 0) outside_unlink(path);
  log_draft_drop(&draft);
  sys_munmap((void *)(uintptr_t)map.base, map.size);
  return result;
}
