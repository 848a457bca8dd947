/* Reads records one by one. The region's bytes pass through one buffer. A record that needs no
 * conversion is returned from this buffer. */
#include "records.h"
#include "../bytes.h"
#include "../reader.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFER_SIZE = 128 * 1024 };

enum darshan_taken darshan_records_need(struct darshan_records *records, uint64_t n,
                                        struct darshan_error *error) {
  if (n > DARSHAN_RECORD_MAX)
    return darshan_fail(error, "corrupt data: a record claims %llu bytes", (unsigned long long)n);
  while (records->end - records->begin < n) {
    size_t kept = records->end - records->begin;
    memmove(records->buffer, records->buffer + records->begin, kept);
    records->begin = 0;
    records->end = kept;
    if (kept == records->capacity) { /* the buffer grows only for data that exist */
      unsigned char *buffer = realloc(records->buffer, 2 * records->capacity);
      if (!buffer) return darshan_fail(error, "cannot read the records: out of memory");
      records->buffer = buffer;
      records->capacity *= 2;
    }
    size_t got =
        darshan_stream_read(&records->stream, records->buffer + kept, records->capacity - kept);
    records->end += got;
    if (got > 0) continue;
    if (records->stream.failure.text[0])
      return darshan_fail(error, "%s", records->stream.failure.text);
    return DARSHAN_TAKEN_END; /* an incomplete record at the end is ignored */
  }
  return DARSHAN_TAKEN_RECORD;
}

uint64_t *darshan_records_room(struct darshan_records *records, size_t words,
                               struct darshan_error *error) {
  if (words <= records->out_words) return records->out;
  uint64_t *out = realloc(records->out, words * sizeof(*out));
  if (!out) {
    darshan_fail(error, "cannot read the records: out of memory");
    return NULL;
  }
  records->out = out;
  records->out_words = words;
  return out;
}

static enum darshan_taken next_fixed(struct darshan_records *records, const void **record,
                                     size_t *size, struct darshan_error *error) {
  const struct darshan_layout *layout = &records->layout;
  for (;;) {
    enum darshan_taken taken = darshan_records_need(records, layout->words * 8, error);
    if (taken != DARSHAN_TAKEN_RECORD) return taken;
    uint64_t *raw = (uint64_t *)(void *)(records->buffer + records->begin);
    records->begin += layout->words * 8;
    if (records->swapped) {
      size_t plain = layout->num_bytes ? layout->bytes_at : layout->words;
      size_t behind = plain + layout->num_bytes;
      darshan_swap_words(raw, plain);
      darshan_swap_words(raw + behind, layout->words - behind);
    }
    *size = records->module->record_size;
    if (records->module->id == DARSHAN_MOD_GROUP) {
      int64_t *counters = (int64_t *)(void *)(raw + 2);
      counters[GROUP_FILES] = darshan_group_files(counters);
    }
    if (layout->newest) {
      *record = raw;
      return DARSHAN_TAKEN_RECORD;
    }
    if (layout->skip_if_positive >= 0 && (int64_t)raw[layout->skip_if_positive] > 0) continue;
    darshan_layout_convert(layout, raw, records->out, *size / 8);
    *record = records->out;
    return DARSHAN_TAKEN_RECORD;
  }
}

/* Stores where a module's data are, their compression and the version of the records. Returns 0; -1
 * with an error if the module has no data or the data overlap the header. */
static int find_region(darshan_log *log, int module, struct darshan_region *region,
                       int *compression, int *version, struct darshan_error *error) {
  const struct darshan_header *header = &log->frame.header;
  for (int i = 0; i < log->annex.num_blocks; i++) {
    const struct darshan_annex_entry *entry = &log->annex.blocks[i];
    if (entry->block.module != (uint32_t)module) continue;
    bool plain = entry->block.comp_type == DARSHAN_UNCOMPRESSED;
    *region = (struct darshan_region){entry->offset,
                                      plain ? entry->block.raw_len : entry->block.stored_len};
    *compression = (int)entry->block.comp_type;
    *version = (int)entry->block.version;
    return region->len ? 0 : darshan_fail(error, "the module has no data");
  }
  if (module < 0 || module >= DARSHAN_MAX_MODULES || header->modules[module].len == 0)
    return darshan_fail(error, "the module has no data");
  *region = header->modules[module];
  *compression = header->comp_type;
  *version = (int)header->module_versions[module];
  if (region->off < log->frame.header_size)
    return darshan_fail(error, "the data of the module overlap the header of the log");
  return 0;
}

static int check_kind(struct darshan_records *records, struct darshan_error *error) {
  const struct darshan_module *module = records->module;
  if (!module || module->kind == DARSHAN_KIND_NONE)
    return darshan_fail(error, "this release cannot read the records of this module");
  if (records->version < 1 || records->version > module->version)
    return darshan_fail(error,
                        "record version %d is not supported; this release reads up to version %d",
                        records->version, module->version);
  switch (module->kind) {
  case DARSHAN_KIND_LUSTRE:
  case DARSHAN_KIND_DXT:
  case DARSHAN_KIND_MDHIM:
  case DARSHAN_KIND_HEATMAP:
  case DARSHAN_KIND_APMPI:
    return 0;
  default:
    return darshan_layout_make(&records->layout, module, records->version, error);
  }
}

darshan_records *darshan_records_open(darshan_log *log, int module, struct darshan_error *error) {
  struct darshan_records *records = calloc(1, sizeof(*records));
  if (!records) {
    darshan_fail(error, "cannot read the records: out of memory");
    return NULL;
  }
  struct darshan_region region;
  int compression = 0;
  records->log = log;
  records->module = darshan_module_by_id(module);
  records->swapped = log->frame.swapped;
  records->capacity = BUFFER_SIZE;
  records->first_bins = -1;
  if (find_region(log, module, &region, &compression, &records->version, error) != 0 ||
      check_kind(records, error) != 0 ||
      darshan_stream_open(&records->stream, &log->file, region, compression, error) != 0) {
    darshan_records_close(records);
    return NULL;
  }
  records->buffer = malloc(records->capacity);
  if (!records->buffer) darshan_fail(error, "cannot read the records: out of memory");
  if (!records->buffer || !darshan_records_room(records, DARSHAN_WORDS_MAX, error)) {
    darshan_records_close(records);
    return NULL;
  }
  return records;
}

int darshan_records_next(darshan_records *records, const void **record, size_t *size,
                         struct darshan_error *error) {
  if (records->failed) return darshan_fail(error, "reading stopped at an earlier error");
  enum darshan_taken taken;
  switch (records->module->kind) {
  case DARSHAN_KIND_LUSTRE:
    taken = darshan_next_lustre(records, record, size, error);
    break;
  case DARSHAN_KIND_DXT:
    taken = darshan_next_dxt(records, record, size, error);
    break;
  case DARSHAN_KIND_MDHIM:
    taken = darshan_next_mdhim(records, record, size, error);
    break;
  case DARSHAN_KIND_HEATMAP:
    taken = darshan_next_heatmap(records, record, size, error);
    break;
  case DARSHAN_KIND_APMPI:
    taken = darshan_next_apmpi(records, record, size, error);
    break;
  default:
    taken = next_fixed(records, record, size, error);
  }
  records->failed = taken == DARSHAN_TAKEN_ERROR;
  return taken;
}

void darshan_records_close(darshan_records *records) {
  if (!records) return;
  darshan_stream_close(&records->stream);
  free(records->buffer);
  free(records->out);
  free(records);
}

long darshan_log_load(darshan_log *log, int module, void **block, struct darshan_error *error) {
  *block = NULL;
  darshan_records *records = darshan_records_open(log, module, error);
  if (!records) return -1;
  char *bytes = NULL;
  size_t used = 0, capacity = 0, size = 0;
  const void *record;
  int result = records->layout.words
                   ? 1
                   : darshan_fail(error, "cannot load records of variable size as one block");
  while (result > 0 && (result = darshan_records_next(records, &record, &size, error)) > 0) {
    if (capacity - used < size) {
      capacity = capacity ? 2 * capacity : 64 * size;
      char *grown = capacity > DARSHAN_BLOCK_MAX ? NULL : realloc(bytes, capacity);
      if (!grown) {
        result = darshan_fail(error, "the records are too large for one block of memory");
        break;
      }
      bytes = grown;
    }
    memcpy(bytes + used, record, size);
    used += size;
  }
  size_t record_size = records->module->record_size;
  darshan_records_close(records);
  if (result < 0) {
    free(bytes);
    return -1;
  }
  *block = bytes;
  return (long)(used / record_size);
}

void darshan_block_free(void *block) {
  free(block);
}
