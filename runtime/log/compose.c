/* Lays out and compresses the regions and the annex of a log (compose.h). */
#include "compose.h"

#include <string.h>

#include "../intercept/memory.h"
#include "compress.h"
#include "log-format.h"

void log_content_add(struct log_content *content, const struct log_part *part) {
  int at = content->num_parts;
  if (part->length == 0 || at == LOG_PARTS) return;
  content->num_parts++;
  for (; at > 0 && content->parts[at - 1].module > part->module; at--)
    content->parts[at] = content->parts[at - 1];
  content->parts[at] = *part;
}

/* Ends a region of `length` bytes that was written behind the draft's bytes: stores its offset and
 * length in *region and counts the bytes as part of the draft. Returns 0. Returns -1 if length is
 * 0, which means that the compression failed. */
static int end_region(struct log_draft *draft, size_t length, struct darshan_region *region) {
  if (length == 0) return -1;
  *region = (struct darshan_region){draft->used, length};
  draft->used += length;
  return 0;
}

static int add_records(struct log_draft *draft, struct log_compressor *compressor,
                       const struct log_records *records, struct darshan_region *region) {
  if (records->length == 0) return 0;
  size_t length = log_compress_records(compressor, records, draft->bytes + draft->used,
                                       draft->room - draft->used);
  return end_region(draft, length, region);
}

static int add_stream(struct log_draft *draft, struct log_compressor *compressor, const char *in,
                      size_t n, struct darshan_region *region) {
  return add_records(draft, compressor, &(struct log_records){.bytes = in, .length = n}, region);
}

/* A names region of more than this many bytes is compressed by log_compress, a shorter region by
 * log_compress_fast (they differ above 12 KiB). Half of a compressed names region consists of
 * record ids, which no level compresses. For a few thousand names the fast level needs half of the
 * instructions and writes at most 2 % more bytes; for a hundred thousand names it would write 7 %
 * more. */
enum { FAST_NAMES = 256 << 10 };
static int add_names(struct log_draft *draft, struct log_compressor *compressor,
                     const struct log_content *content, struct darshan_region *region) {
  if (content->names_length > FAST_NAMES)
    return add_stream(draft, compressor, content->names, content->names_length, region);
  if (content->names_length == 0) return 0;
  size_t length = log_compress_fast(compressor, content->names, content->names_length,
                                    draft->bytes + draft->used, draft->room - draft->used);
  return end_region(draft, length, region);
}

static struct log_records records_of(const struct log_part *part) {
  return (struct log_records){.bytes = part->records,
                              .where = part->where,
                              .length = part->length,
                              .size = part->record_size};
}

/* Appends a part, which is not empty, to the draft, and compresses it unless it is compressed
 * already. Stores its region. Returns 0, or -1 if the draft is full or memory is exhausted. */
static int add_part(struct log_draft *draft, struct log_compressor *compressor,
                    const struct log_part *part, struct darshan_region *region) {
  struct log_records records = records_of(part);
  if (!part->ready) return add_records(draft, compressor, &records, region);
  if (draft->room - draft->used < part->length) return -1;
  *region = (struct darshan_region){draft->used, part->length};
  memcpy(draft->bytes + draft->used, part->records, part->length);
  draft->used += part->length;
  return 0;
}

static int add_block(struct log_draft *draft, struct log_compressor *compressor,
                     const struct log_part *part) {
  struct darshan_annex_block block = {.module = (uint32_t)part->module,
                                      .version = part->version,
                                      .comp_type = DARSHAN_ZLIB,
                                      .flags = part->partial ? DARSHAN_ANNEX_PARTIAL : 0,
                                      .raw_len = part->length};
  struct darshan_region stored = {0, 0};
  size_t head = draft->used;
  if (draft->room - draft->used < sizeof(block)) return -1;
  draft->used += sizeof(block);
  struct log_records records = records_of(part);
  if (add_records(draft, compressor, &records, &stored) < 0) return -1;
  block.stored_len = stored.len;
  memcpy(draft->bytes + head, &block, sizeof(block));
  return 0;
}

static int add_annex(struct log_draft *draft, struct log_compressor *compressor,
                     const struct log_content *content) {
  struct darshan_annex_trailer trailer = {.version = DARSHAN_ANNEX_VERSION, .offset = draft->used};
  for (int i = 0; i < content->num_parts; i++) {
    const struct log_part *part = &content->parts[i];
    if (part->module < DARSHAN_MAX_MODULES || part->length == 0) continue;
    if (add_block(draft, compressor, part) < 0) return -1;
    trailer.num_blocks++;
  }
  if (trailer.num_blocks == 0) return 0;
  if (draft->room - draft->used < sizeof(trailer)) return -1;
  trailer.length = draft->used - trailer.offset;
  trailer.checksum = log_checksum(draft->bytes + trailer.offset, trailer.length);
  memcpy(trailer.magic, DARSHAN_ANNEX_MAGIC, sizeof(trailer.magic));
  memcpy(draft->bytes + draft->used, &trailer, sizeof(trailer));
  draft->used += sizeof(trailer);
  return 0;
}

static int fill(struct log_draft *draft, const struct log_content *content) {
  struct log_compressor compressor = {.large = NULL};
  struct darshan_header header = {
      .version = DARSHAN_LOG_VERSION, .magic = DARSHAN_LOG_MAGIC, .comp_type = DARSHAN_ZLIB};
  struct darshan_region job;
  if (add_stream(draft, &compressor, content->job, content->job_length, &job) < 0 ||
      add_names(draft, &compressor, content, &header.names) < 0)
    return -1;
  for (int i = 0; i < content->num_parts; i++) {
    const struct log_part *part = &content->parts[i];
    if (part->module >= DARSHAN_MAX_MODULES || part->length == 0) continue;
    header.module_versions[part->module] = part->version;
    if (part->partial) header.partial_flag |= UINT64_C(1) << part->module;
    if (add_part(draft, &compressor, part, &header.modules[part->module]) < 0) return -1;
  }
  if (add_annex(draft, &compressor, content) < 0) return -1;
  memcpy(draft->bytes, &header, sizeof(header));
  return 0;
}

int log_compose(struct log_draft *draft, const struct log_content *content) {
  size_t room = sizeof(struct darshan_header) + sizeof(struct darshan_annex_trailer) +
                log_compress_bound(content->job_length) + log_compress_bound(content->names_length);
  for (int i = 0; i < content->num_parts; i++)
    room += log_compress_bound(content->parts[i].length) + sizeof(struct darshan_annex_block);
  draft->bytes = private_memory(room);
  draft->room = room;
  draft->used = sizeof(struct darshan_header);
  if (!draft->bytes) return -1;
  return fill(draft, content);
}

void log_draft_drop(struct log_draft *draft) {
  if (draft->bytes) sys_munmap(draft->bytes, draft->room);
  draft->bytes = NULL;
}

void log_add_part(struct log_content *content, int module_id, uint32_t version, const char *bytes,
                  size_t length, int partial, int compressed) {
  log_content_add(content, &(struct log_part){.module = module_id,
                                              .version = version,
                                              .partial = partial,
                                              .ready = compressed,
                                              .records = bytes,
                                              .length = length});
}
