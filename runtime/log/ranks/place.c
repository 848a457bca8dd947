/* The file: the root says where each stretch of streams goes, whoever holds
 * some writes them, the root adds the frame and gives the name. */
#include <string.h>

#include <zlib.h>

#include "../../intercept/sys.h"
#include "../save.h"
#include "log-format.h"
#include "reduce.h"

struct place_file {
  int fd;
  uint64_t annex, end; /* where the annex begins and ends */
  struct darshan_header header;
  struct darshan_annex_trailer trailer;
  char path[DARSHAN_PATH_ROOM];
};

struct head { /* then an offset for each line of the receiver, then the path with its NUL */
  uint64_t go_on, lines;
};

static int in_annex(const struct stretch *line) {
  return section_module((int)line->section) >= DARSHAN_MAX_MODULES;
}

/* --- what a rank writes -------------------------------------------------------- */

/* Where the next bytes of each line of the total go; the lines of a part move
 * it on. */
static uint64_t take_place(const struct reduction *reduction, uint64_t *next,
                           const struct stretch *line) {
  int i = 0;
  while (reduction->total.lines[i].section != line->section)
    i++;
  uint64_t place = next[i];
  next[i] += line->stored;
  return place;
}

static int write_part(const struct reduction *reduction, int fd, const struct stretches *part,
                      uint64_t *next) {
  for (int i = 0; i < part->count; i++) {
    uint64_t place = take_place(reduction, next, &part->lines[i]);
    if (part->bytes[i] && log_write_at(fd, part->bytes[i], part->lines[i].stored, place) < 0)
      return -1;
  }
  return 0;
}

static void tell_child(struct reduction *reduction, int n, const char *path, uint64_t *next) {
  const struct stretches *part = &reduction->parts[reduce_part_of_child(reduction, n)];
  struct head head = {1, (uint64_t)part->count};
  size_t path_size = strlen(path) + 1, places = head.lines * sizeof(uint64_t);
  char message[sizeof(head) + SECTIONS * sizeof(uint64_t) + DARSHAN_PATH_ROOM];
  memcpy(message, &head, sizeof(head));
  for (int i = 0; i < part->count; i++) {
    uint64_t place = take_place(reduction, next, &part->lines[i]);
    memcpy(message + sizeof(head) + (size_t)i * sizeof(place), &place, sizeof(place));
  }
  memcpy(message + sizeof(head) + places, path, path_size);
  reduce_send(reduction, reduce_child(reduction, n), message, sizeof(head) + places + path_size);
}

static void tell_no_child(struct reduction *reduction) {
  struct head head = {0, 0};
  for (int n = reduce_children(reduction) - 1; n >= 0; n--)
    if (reduction->kept_children >> n & 1)
      reduce_send(reduction, reduce_child(reduction, n), &head, sizeof(head));
}

/* Tells those below first, so that all write at once. */
static void write_here(struct reduction *reduction, int fd, const char *path) {
  int children = reduce_children(reduction), own = reduction->num_parts - children;
  uint64_t next[SECTIONS];
  if (reduction->num_parts == 0) return; /* a log of nothing */
  memcpy(next, reduction->places, (size_t)reduction->total.count * sizeof(*next));
  for (int p = 0; p < own; p++)
    for (int i = 0; i < reduction->parts[p].count; i++)
      take_place(reduction, next, &reduction->parts[p].lines[i]);
  for (int n = 0; n < children; n++) {
    const struct stretches *part = &reduction->parts[own + n];
    if (reduction->kept_children >> n & 1)
      tell_child(reduction, n, path, next);
    else
      for (int i = 0; i < part->count; i++)
        take_place(reduction, next, &part->lines[i]);
  }
  reduction->writes = 1;
  memcpy(next, reduction->places, (size_t)reduction->total.count * sizeof(*next));
  for (int p = 0; p < reduction->num_parts; p++)
    if (fd < 0 || write_part(reduction, fd, &reduction->parts[p], next) < 0) {
      reduction->failed = 1;
      return;
    }
}

static void write_below(struct reduction *reduction, const struct message *message) {
  struct head head = {0, 0};
  size_t places = (size_t)reduction->total.count * sizeof(uint64_t);
  if (message->n >= sizeof(head)) memcpy(&head, message->bytes, sizeof(head));
  if (!head.go_on || reduction->failed || head.lines != (uint64_t)reduction->total.count ||
      message->n < sizeof(head) + places + 1 || message->bytes[message->n - 1] != '\0' ||
      !(reduction->places = arena_take(&reduction->arena, places))) {
    reduction->failed = 1;
    reduction->writes = head.go_on != 0; /* an answer is waited for */
    tell_no_child(reduction);
    reduction->kept_children = 0;
    return;
  }
  memcpy(reduction->places, message->bytes + sizeof(head), places);
  const char *path = message->bytes + sizeof(head) + places;
  int fd = sys_open(path, O_WRONLY | O_NOFOLLOW, 0);
  write_here(reduction, fd, path);
  if (fd >= 0 && sys_close(fd) < 0) reduction->failed = 1; /* a full network file system */
}

/* --- what the root alone does ----------------------------------------------------- */

static void place_regions(const struct reduction *reduction, struct place_file *file) {
  for (int i = 0; i < reduction->total.count; i++) {
    const struct stretch *line = &reduction->total.lines[i];
    if (in_annex(line)) continue;
    struct darshan_region *region = line->section == SECTION_NAMES
                                        ? &file->header.names
                                        : &file->header.modules[section_module((int)line->section)];
    reduction->places[i] = file->end;
    if (line->stored == 0) continue;
    *region = (struct darshan_region){file->end, line->stored};
    file->end += line->stored;
    if (line->section == SECTION_NAMES) continue;
    int module = section_module((int)line->section);
    file->header.module_versions[module] = line->version;
    if (line->partial) file->header.partial_flag |= UINT64_C(1) << module;
  }
}

static struct darshan_annex_block block_of(const struct stretch *line) {
  return (struct darshan_annex_block){.module = (uint32_t)section_module((int)line->section),
                                      .version = line->version,
                                      .comp_type = DARSHAN_ZLIB,
                                      .flags = line->partial ? DARSHAN_ANNEX_PARTIAL : 0,
                                      .stored_len = line->stored,
                                      .raw_len = line->raw};
}

/* Blocks of the annex with their heads, which the root writes at once; their
 * checksum is put together from those of the parts. */
static int place_annex(const struct reduction *reduction, struct place_file *file) {
  uLong checksum = crc32(0, NULL, 0);
  int result = 0;
  file->annex = file->end;
  for (int i = 0; i < reduction->total.count; i++) {
    const struct stretch *line = &reduction->total.lines[i];
    struct darshan_annex_block block = block_of(line);
    if (!in_annex(line) || line->stored == 0) continue;
    if (log_write_at(file->fd, &block, sizeof(block), file->end) < 0) result = -1;
    checksum = crc32(checksum, (const Bytef *)&block, sizeof(block));
    checksum = crc32_combine(checksum, line->crc, (z_off_t)line->stored);
    reduction->places[i] = file->end + sizeof(block);
    file->end += sizeof(block) + line->stored;
    file->trailer.num_blocks++;
  }
  file->trailer.version = DARSHAN_ANNEX_VERSION;
  file->trailer.offset = file->annex;
  file->trailer.length = file->end - file->annex;
  file->trailer.checksum = (uint32_t)checksum;
  memcpy(file->trailer.magic, DARSHAN_ANNEX_MAGIC, sizeof(file->trailer.magic));
  return result;
}

static int write_job(struct reduction *reduction, struct place_file *file) {
  const struct reduce_source *source = reduction->source;
  struct log_compressor compressor = {.large = NULL};
  char job[DARSHAN_JOB_REGION_MAX], out[2 * DARSHAN_JOB_REGION_MAX];
  size_t n = source->job(source->context, &reduction->facts, job);
  size_t stored = log_compress(&compressor, job, n, out, sizeof(out));
  log_compressor_drop(&compressor);
  if (stored == 0 || log_write_at(file->fd, out, stored, file->end) < 0) return -1;
  file->end += stored;
  return 0;
}

static int begin_file(struct reduction *reduction) {
  const struct reduce_source *source = reduction->source;
  struct place_file *file = arena_take(&reduction->arena, sizeof(*file));
  reduction->places =
      arena_take(&reduction->arena, (size_t)reduction->total.count * sizeof(uint64_t));
  if (!file || !reduction->places) return -1;
  memset(file, 0, sizeof(*file));
  if (!darshan_partial_path(file->path, sizeof(file->path), source->config, &source->identity))
    return -1;
  file->fd = log_create(source->config, file->path);
  if (file->fd < 0) return -1;
  reduction->file = file;
  file->end = sizeof(file->header);
  if (write_job(reduction, file) < 0) return -1;
  place_regions(reduction, file);
  return place_annex(reduction, file);
}

void place_down(struct reduction *reduction) {
  if (reduce_is_root(reduction)) {
    if (reduction->failed || begin_file(reduction) < 0) {
      reduction->failed = 1;
      tell_no_child(reduction);
    } else {
      write_here(reduction, reduction->file->fd, reduction->file->path);
    }
  } else if (reduction->kept) {
    struct message message;
    if (reduce_receive(reduction, tree_parent(reduction->comm->rank), &message) < 0)
      reduction->failed = 1;
    write_below(reduction, &message);
    message_drop(&message);
  }
}

void place_written(struct reduction *reduction) {
  uint64_t worked;
  if (!reduction->writes) return;
  for (int n = 0; n < reduce_children(reduction); n++) {
    struct message message;
    if (!(reduction->kept_children >> n & 1)) continue;
    worked = 0;
    if (reduce_receive(reduction, reduce_child(reduction, n), &message) == 0 &&
        message.n == sizeof(worked))
      memcpy(&worked, message.bytes, sizeof(worked));
    message_drop(&message);
    if (!worked) reduction->failed = 1;
  }
  worked = !reduction->failed;
  if (!reduce_is_root(reduction))
    reduce_send(reduction, tree_parent(reduction->comm->rank), &worked, sizeof(worked));
}

static int write_frame(struct place_file *file) {
  struct darshan_header *header = &file->header;
  memcpy(header->version, DARSHAN_LOG_VERSION, sizeof(DARSHAN_LOG_VERSION));
  header->magic = DARSHAN_LOG_MAGIC;
  header->comp_type = DARSHAN_ZLIB;
  if (file->trailer.num_blocks &&
      log_write_at(file->fd, &file->trailer, sizeof(file->trailer), file->end) < 0)
    return -1;
  return log_write_at(file->fd, header, sizeof(*header), 0);
}

int place_complete(struct reduction *reduction) {
  const struct reduce_source *source = reduction->source;
  struct place_file *file = reduction->file;
  if (!file) return -1;
  reduction->file = NULL;
  int result = reduction->failed ? -1 : write_frame(file);
  return log_finish(file->fd, result, source->config, &source->identity, file->path,
                    source->begun_ns, source->final_path);
}
