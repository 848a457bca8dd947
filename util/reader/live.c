/* Reads a journal repeatedly while its process writes it (live.h). */
#include "live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT_NOW = 341, ID_SIZE = 8, NAME_ROOM = 64 * 1024 };

static int look_at_size(struct darshan_live *live, struct darshan_error *error) {
  if (fstat(live->file.fd, &live->status) != 0) return darshan_fail(error, "%s", strerror(errno));
  if (!S_ISREG(live->status.st_mode)) return darshan_fail(error, "is not a regular file");
  if (!live->file.is_part) live->file.size = (uint64_t)live->status.st_size;
  return 0;
}

/* Reads the annex again if its trailer has changed. With an unchanged trailer, the blocks are at
 * the same offsets. Only the lengths of their records have grown, and find_region reads these
 * lengths again. */
static void look_at_annex(struct darshan_live *live) {
  struct darshan_annex_trailer trailer;
  uint64_t size = live->file.size;
  if (size < sizeof(trailer) || darshan_file_read(&live->file, &trailer, sizeof(trailer),
                                                  size - sizeof(trailer)) != sizeof(trailer))
    memset(&trailer, 0, sizeof(trailer));
  if (memcmp(&trailer, &live->trailer, sizeof(trailer)) == 0 && live->annex.num_blocks) return;
  live->trailer = trailer;
  darshan_annex_read(&live->annex, &live->file, false);
}

int darshan_live_look(struct darshan_live *live, struct darshan_error *error) {
  if (look_at_size(live, error) != 0 || darshan_header_read(&live->frame, &live->file, error) != 0)
    return -1;
  if (live->frame.format != FORMAT_NOW || live->frame.swapped)
    return darshan_fail(error, "is not a journal of a process on this machine");
  look_at_annex(live);
  live->bytes_read += live->frame.header_size;
  return 0;
}

int darshan_live_open(struct darshan_live *live, int fd, uint64_t at, uint64_t length,
                      struct darshan_error *error) {
  memset(live, 0, sizeof(*live));
  live->file.fd = fd;
  darshan_file_restrict(&live->file, at, length);
  return darshan_live_look(live, error);
}

int darshan_live_job(struct darshan_live *live, struct darshan_job_region *job,
                     struct darshan_error *error) {
  memset(job, 0, sizeof(*job));
  return darshan_job_read(job, &live->file, &live->frame, error);
}

static int make_room(struct darshan_live_room *room, size_t size, struct darshan_error *error) {
  enum { FIRST = 256 * 1024 };
  if (size <= room->capacity) return 0;
  size_t capacity = room->capacity ? room->capacity : FIRST;
  while (capacity < size)
    capacity *= 2;
  unsigned char *bytes = realloc(room->bytes, capacity);
  if (!bytes) return darshan_fail(error, "cannot read the journal: out of memory");
  room->bytes = bytes;
  room->capacity = capacity;
  return 0;
}

/* Reads a compressed region into `room`; only parts have such regions. Returns the number of
 * decompressed bytes. If the data are damaged, returns the number of bytes before the damage.
 * Returns -1 with an error if reading cannot begin or if out of memory. The buffer grows with the
 * bytes that are read, not with the length that the header claims. */
static long read_compressed(struct darshan_live *live, struct darshan_live_room *room,
                            struct darshan_region region, int compression,
                            struct darshan_error *error) {
  struct darshan_stream stream;
  size_t used = 0, got;
  if (darshan_stream_open(&stream, &live->file, region, compression, error) != 0) return -1;
  do {
    if (make_room(room, used + NAME_ROOM, error) != 0) {
      darshan_stream_close(&stream);
      return -1;
    }
    got = darshan_stream_read(&stream, room->bytes + used, room->capacity - used);
    used += got;
  } while (got > 0 && used < DARSHAN_LIVE_REGION_MAX);
  darshan_stream_close(&stream);
  live->bytes_read += used;
  return (long)used;
}

/* Reads a region into room->bytes, at most about DARSHAN_LIVE_REGION_MAX bytes. Returns the number
 * of decompressed bytes, 0 if the region is empty or outside of the file, -1 with an error. */
static long read_region(struct darshan_live *live, struct darshan_live_room *room,
                        struct darshan_region region, int compression,
                        struct darshan_error *error) {
  uint64_t size = live->file.size;
  if (region.len == 0 || region.off < live->frame.header_size || region.off >= size) return 0;
  if (compression != DARSHAN_UNCOMPRESSED)
    return read_compressed(live, room, region, compression, error);
  uint64_t length = region.len < size - region.off ? region.len : size - region.off;
  if (length > DARSHAN_LIVE_REGION_MAX) length = DARSHAN_LIVE_REGION_MAX;
  if (make_room(room, (size_t)length, error) != 0) return -1;
  long got = darshan_file_read(&live->file, room->bytes, (size_t)length, region.off);
  if (got < 0) return darshan_fail(error, "cannot read the journal: %s", strerror(errno));
  live->bytes_read += (uint64_t)got;
  return got;
}

int darshan_live_names(struct darshan_live *live, struct darshan_live_room *room,
                       void (*each)(uint64_t id, const char *name, void *context), void *context,
                       struct darshan_error *error) {
  struct darshan_region region = live->frame.header.names;
  int compression = live->frame.header.comp_type;
  if (region.len <= live->names_taken) return 0;
  uint64_t skip = live->names_taken;
  if (compression == DARSHAN_UNCOMPRESSED) {
    if (region.off > UINT64_MAX - skip) return 0;
    region.off += skip;
    region.len -= skip;
  }
  long got = read_region(live, room, region, compression, error);
  if (got < 0) return -1;
  size_t at = 0, end = (size_t)got;
  while (end - at > ID_SIZE) {
    const char *name = (const char *)room->bytes + at + ID_SIZE;
    const char *stop = memchr(name, '\0', end - at - ID_SIZE);
    uint64_t id;
    if (!stop) break;
    memcpy(&id, room->bytes + at, ID_SIZE);
    each(id, name, context);
    at += ID_SIZE + (size_t)(stop - name) + 1;
  }
  live->names_taken = compression == DARSHAN_UNCOMPRESSED ? skip + at : region.len;
  return 0;
}

/* Returns the current length of a block's records in bytes. It may have grown since the annex was
 * read. */
static uint64_t length_now(const struct darshan_live *live,
                           const struct darshan_annex_entry *entry) {
  struct darshan_annex_block block;
  if (!(live->trailer.flags & DARSHAN_ANNEX_LIVE) ||
      darshan_file_read(&live->file, &block, sizeof(block), entry->offset - sizeof(block)) !=
          sizeof(block) ||
      block.module != entry->block.module || block.raw_len > entry->block.stored_len)
    return entry->block.raw_len;
  return block.raw_len;
}

/* Finds the region of a module, its compression (enum darshan_compression) and the version of its
 * records. Returns 1; 0 if the module has no data. */
static int find_region(const struct darshan_live *live, int module, struct darshan_region *region,
                       int *compression, int *version) {
  const struct darshan_header *header = &live->frame.header;
  if (module >= 0 && module < DARSHAN_MAX_MODULES) {
    *region = header->modules[module];
    *compression = header->comp_type;
    *version = (int)(header->module_versions[module] & INT32_MAX);
    return region->len > 0;
  }
  for (int i = 0; i < live->annex.num_blocks; i++) {
    const struct darshan_annex_block *block = &live->annex.blocks[i].block;
    if (block->module != (uint32_t)module) continue;
    bool plain = block->comp_type == DARSHAN_UNCOMPRESSED;
    *region = (struct darshan_region){live->annex.blocks[i].offset,
                                      plain ? length_now(live, &live->annex.blocks[i])
                                            : block->stored_len};
    *compression = (int)block->comp_type;
    *version = (int)block->version;
    return region->len > 0;
  }
  return 0;
}

/* Returns the layout of a module's records of this version, from the cache in `room`, or makes it.
 * Returns NULL with an error. */
static const struct darshan_layout *layout_of(struct darshan_live_room *room,
                                              const struct darshan_module *module, int version,
                                              struct darshan_error *error) {
  for (int i = 0; i < DARSHAN_LIVE_LAYOUTS; i++)
    if (room->layouts[i].version == version && room->layouts[i].module == module->id && version)
      return &room->layouts[i].layout;
  struct darshan_live_layout *place = &room->layouts[room->next_layout % DARSHAN_LIVE_LAYOUTS];
  place->version = 0;
  if (darshan_layout_make(&place->layout, module, version, error) != 0) return NULL;
  place->module = module->id;
  place->version = version;
  room->next_layout++;
  return &place->layout;
}

/* Converts the `count` records in room->bytes to the newest layout, into room->converted. Drops
 * records that the layout says to skip. Returns the number of converted records, or -1 with an
 * error. */
static long convert(struct darshan_live_room *room, const struct darshan_module *module,
                    const struct darshan_layout *layout, size_t count,
                    struct darshan_error *error) {
  size_t words = module->record_size / 8, needed = count * words, kept = 0;
  if (needed > room->converted_capacity) {
    uint64_t *grown = realloc(room->converted, needed * sizeof(*grown));
    if (!grown) return darshan_fail(error, "cannot read the journal: out of memory");
    room->converted = grown;
    room->converted_capacity = needed;
  }
  for (size_t i = 0; i < count; i++) {
    const uint64_t *raw = (const uint64_t *)(const void *)room->bytes + i * layout->words;
    if (layout->skip_if_positive >= 0 && (int64_t)raw[layout->skip_if_positive] > 0) continue;
    darshan_layout_convert(layout, raw, room->converted + kept++ * words, words);
  }
  return (long)kept;
}

long darshan_live_records(struct darshan_live *live, struct darshan_live_room *room, int id,
                          const unsigned char **records, struct darshan_error *error) {
  const struct darshan_module *module = darshan_module_by_id(id);
  struct darshan_region region;
  int compression, version;
  if (!module || !find_region(live, id, &region, &compression, &version)) return 0;
  const struct darshan_layout *layout = layout_of(room, module, version, error);
  if (!layout) return -1;
  long got = read_region(live, room, region, compression, error);
  if (got < 0) return -1;
  size_t count = (size_t)got / (layout->words * 8);
  *records = room->bytes;
  if (layout->newest) return (long)count;
  long kept = convert(room, module, layout, count, error);
  *records = (const unsigned char *)room->converted;
  return kept;
}

void darshan_live_room_free(struct darshan_live_room *room) {
  free(room->bytes);
  free(room->converted);
  memset(room, 0, sizeof(*room));
}
