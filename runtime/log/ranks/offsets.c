/* Lays out the file, and sends and receives the file offsets of streams (offsets.h). */
#include "offsets.h"

#include <string.h>
#include <zlib.h>

#include "../save.h"

struct log_file {
  int fd;
  uint64_t annex, end; /* file offsets: begin of the annex, end of the regions laid out so far */
  struct darshan_header header;
  struct darshan_annex_trailer trailer;
  char path[DARSHAN_PATH_ROOM];
};

/* --- layout, by the root rank -------------------------------------------------------- */

/* Assigns file offsets to the regions outside of the annex, one after another in the order of
 * sections. Stores them in the header, and in places[i] for line i of the total. */
static void lay_regions(const struct stretches *total, uint64_t *places, struct log_file *file) {
  for (int i = 0; i < total->count; i++) {
    const struct stretch *line = &total->lines[i];
    if (stretch_in_annex(line)) continue;
    struct darshan_region *region = line->section == SECTION_NAMES
                                        ? &file->header.names
                                        : &file->header.modules[section_module((int)line->section)];
    places[i] = file->end;
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

/* Assigns file offsets to the blocks of the annex, stores those of their bytes in places[i] for
 * line i of the total, and writes the blocks' heads. Combines the checksums of the parts into the
 * checksum of the annex. Returns 0, or -1 if a write failed. */
static int lay_annex(const struct stretches *total, uint64_t *places, struct log_file *file) {
  uLong checksum = crc32(0, NULL, 0);
  int result = 0;
  file->annex = file->end;
  for (int i = 0; i < total->count; i++) {
    const struct stretch *line = &total->lines[i];
    struct darshan_annex_block block = block_of(line);
    if (!stretch_in_annex(line) || line->stored == 0) continue;
    if (log_step(sys_put(file->fd, &block, sizeof(block), file->end)) < 0) result = -1;
    checksum = crc32(checksum, (const Bytef *)&block, sizeof(block));
    checksum = crc32_combine(checksum, line->crc, (z_off_t)line->stored);
    places[i] = file->end + sizeof(block);
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

static int write_job(const struct reduce_source *source, const struct facts *facts,
                     struct log_file *file) {
  struct log_compressor compressor = {.large = NULL};
  char job[DARSHAN_JOB_REGION_MAX], out[2 * DARSHAN_JOB_REGION_MAX];
  size_t n = source->job(source->context, facts, job);
  size_t stored = log_compress(&compressor, job, n, out, sizeof(out));
  log_compressor_drop(&compressor);
  if (stored == 0 || log_step(sys_put(file->fd, out, stored, file->end)) < 0) return -1;
  file->end += stored;
  return 0;
}

static int begin_file(struct placed *placed, const struct reduce_source *source,
                      struct gathered *gathered, const struct facts *facts) {
  const struct stretches *total = &gathered->total;
  struct log_file *file = arena_take(&gathered->arena, sizeof(*file));
  placed->places = arena_take(&gathered->arena, (size_t)total->count * sizeof(uint64_t));
  if (!file || !placed->places) return -1;
  memset(file, 0, sizeof(*file));
  if (!darshan_partial_path(file->path, sizeof(file->path), source->config, &source->identity))
    return -1;
  file->fd = log_create(source->config, file->path);
  if (log_step(file->fd) < 0) return -1;
  placed->file = file;
  file->end = sizeof(file->header);
  if (write_job(source, facts, file) < 0) return -1;
  lay_regions(total, placed->places, file);
  return lay_annex(total, placed->places, file);
}

/* --- writing, by each rank ------------------------------------------------------------ */

struct places_head { /* an offset for each line of the receiver follows, then the path with its NUL
                      */
  uint64_t go_on, lines;
};

/* The file offset of the next bytes of each line of the total. Each part's lines advance it. */
struct cursor {
  const struct stretches *total;
  uint64_t next[SECTIONS];
};

static void cursor_begin(struct cursor *cursor, const struct placed *placed,
                         const struct gathered *gathered) {
  cursor->total = &gathered->total;
  memcpy(cursor->next, placed->places, (size_t)gathered->total.count * sizeof(*cursor->next));
}

static uint64_t take_place(struct cursor *cursor, const struct stretch *line) {
  int i = 0;
  while (cursor->total->lines[i].section != line->section)
    i++;
  uint64_t place = cursor->next[i];
  cursor->next[i] += line->stored;
  return place;
}

static void pass_by(struct cursor *cursor, const struct stretches *part) {
  for (int i = 0; i < part->count; i++)
    take_place(cursor, &part->lines[i]);
}

static void tell_child(const struct rank *rank, int n, const struct stretches *part,
                       const char *path, struct cursor *cursor) {
  struct places_head head = {1, (uint64_t)part->count};
  size_t path_size = strlen(path) + 1, places = head.lines * sizeof(uint64_t);
  char message[sizeof(head) + SECTIONS * sizeof(uint64_t) + DARSHAN_PATH_ROOM];
  memcpy(message, &head, sizeof(head));
  for (int i = 0; i < part->count; i++) {
    uint64_t place = take_place(cursor, &part->lines[i]);
    memcpy(message + sizeof(head) + (size_t)i * sizeof(place), &place, sizeof(place));
  }
  memcpy(message + sizeof(head) + places, path, path_size);
  child_send(rank, n, message, sizeof(head) + places + path_size);
}

static void tell_no_child(const struct rank *rank, const struct gathered *gathered) {
  struct places_head head = {0, 0};
  for (int n = rank_children(rank) - 1; n >= 0; n--)
    if (gathered->kept_children >> n & 1) child_send(rank, n, &head, sizeof(head));
}

static void tell_children(struct placed *placed, const struct rank *rank,
                          const struct gathered *gathered, const char *path) {
  int children = rank_children(rank), own = part_of_child(gathered, rank, 0);
  struct cursor cursor;
  cursor_begin(&cursor, placed, gathered);
  for (int p = 0; p < own; p++)
    pass_by(&cursor, &gathered->parts[p]);
  for (int n = 0; n < children; n++) {
    const struct stretches *part = &gathered->parts[own + n];
    if (gathered->kept_children >> n & 1)
      tell_child(rank, n, part, path, &cursor);
    else
      pass_by(&cursor, part);
  }
  placed->writers = gathered->kept_children;
}

static int write_part(int fd, const struct stretches *part, struct cursor *cursor) {
  for (int i = 0; i < part->count; i++) {
    uint64_t place = take_place(cursor, &part->lines[i]);
    if (part->bytes[i] && log_step(sys_put(fd, part->bytes[i], part->lines[i].stored, place)) < 0)
      return -1;
  }
  return 0;
}

/* Sends the children that keep streams their offsets, then writes all streams that this rank holds
 * to fd. The offsets are sent first, so that all ranks write at the same time. Sets placed->failed
 * if fd is negative or a write fails. */
static void write_here(struct placed *placed, const struct rank *rank,
                       const struct gathered *gathered, int fd, const char *path) {
  struct cursor cursor;
  if (gathered->num_parts == 0) return; /* an empty log */
  tell_children(placed, rank, gathered, path);
  placed->writes = 1;
  cursor_begin(&cursor, placed, gathered);
  for (int p = 0; p < gathered->num_parts; p++)
    if (fd < 0 || write_part(fd, &gathered->parts[p], &cursor) < 0) {
      placed->failed = 1;
      return;
    }
}

/* Writes this rank's streams to the path and at the offsets in the parent's message. Sets
 * placed->failed if the message is damaged or says that there is no log, memory runs out, or the
 * file cannot be opened, written or closed. */
static void write_there(struct placed *placed, const struct rank *rank, struct gathered *gathered,
                        const struct message *message) {
  struct places_head head = {0, 0};
  size_t places = (size_t)gathered->total.count * sizeof(uint64_t);
  if (message->n >= sizeof(head)) memcpy(&head, message->bytes, sizeof(head));
  if (!head.go_on || placed->failed || head.lines != (uint64_t)gathered->total.count ||
      message->n < sizeof(head) + places + 1 || message->bytes[message->n - 1] != '\0' ||
      !(placed->places = arena_take(&gathered->arena, places))) {
    placed->failed = 1;
    placed->writes = head.go_on != 0; /* the parent waits for a reply */
    tell_no_child(rank, gathered);
    return;
  }
  memcpy(placed->places, message->bytes + sizeof(head), places);
  const char *path = message->bytes + sizeof(head) + places;
  int fd = log_step(sys_open(path, O_WRONLY | O_NOFOLLOW, 0));
  write_here(placed, rank, gathered, fd, path);
  if (fd >= 0 && sys_close(fd) < 0)
    placed->failed = 1; /* close may report a full network file system */
}

/* --- the steps ---------------------------------------------------------------------- */

void place_down(struct placed *placed, const struct rank *rank, struct gathered *gathered,
                const struct facts *facts) {
  placed->failed = gathered->failed;
  if (rank_is_root(rank)) {
    if (placed->failed || begin_file(placed, rank->source, gathered, facts) < 0) {
      placed->failed = 1;
      tell_no_child(rank, gathered);
    } else {
      write_here(placed, rank, gathered, placed->file->fd, placed->file->path);
    }
  } else if (gathered->kept) {
    struct message message;
    if (parent_receive(rank, &message) < 0) placed->failed = 1;
    write_there(placed, rank, gathered, &message);
    message_drop(&message);
  }
}

/* Returns 1 if a step worked in all ranks below, otherwise 0. Their message is a 64-bit word, 1 for
 * success. A lost message means failure. */
static int worked(const struct message *message) {
  uint64_t word = 0;
  if (message->n == sizeof(word)) memcpy(&word, message->bytes, sizeof(word));
  return word != 0;
}

void place_up(struct placed *placed, const struct rank *rank) {
  if (!placed->writes) return;
  for (int n = 0; n < rank_children(rank); n++) {
    struct message message;
    if (!(placed->writers >> n & 1)) continue;
    if (child_receive(rank, n, &message) < 0 || !worked(&message)) placed->failed = 1;
    message_drop(&message);
  }
  uint64_t word = !placed->failed;
  if (!rank_is_root(rank)) parent_send(rank, &word, sizeof(word));
}

static int write_frame(struct log_file *file) {
  struct darshan_header *header = &file->header;
  memcpy(header->version, DARSHAN_LOG_VERSION, sizeof(DARSHAN_LOG_VERSION));
  header->magic = DARSHAN_LOG_MAGIC;
  header->comp_type = DARSHAN_ZLIB;
  if (file->trailer.num_blocks &&
      log_step(sys_put(file->fd, &file->trailer, sizeof(file->trailer), file->end)) < 0)
    return -1;
  return log_step(sys_put(file->fd, header, sizeof(*header), 0));
}

int place_complete(struct placed *placed, const struct rank *rank) {
  const struct reduce_source *source = rank->source;
  struct log_file *file = placed->file;
  if (!file) return -1;
  placed->file = NULL;
  int result = placed->failed ? -1 : write_frame(file);
  return log_finish(file->fd, result, source->config, &source->identity, file->path,
                    source->begun_ns, source->final_path);
}

int place_result(struct placed *placed, const struct rank *rank) {
  const struct rank_comm *comm = rank->comm;
  uint64_t word = 0;
  if (rank_is_root(rank)) {
    word = place_complete(placed, rank) == 0;
  } else {
    struct message message;
    word = rank_receive(rank, tree_sender(comm->rank), &message) == 0 && worked(&message);
    message_drop(&message);
  }
  for (int i = 0, to; (to = tree_receiver(comm->rank, comm->size, i)) >= 0; i++)
    rank_send(rank, to, &word, sizeof(word));
  return word ? 0 : -1;
}
