#include "streams.h"

#include <zlib.h>

#include "log-format.h"

int stretches_prepare(struct stretches *stretches, struct arena *arena, int room) {
  stretches->count = 0;
  stretches->lines = arena_take(arena, (size_t)room * sizeof(*stretches->lines));
  stretches->bytes = arena_take(arena, (size_t)room * sizeof(*stretches->bytes));
  return stretches->lines && stretches->bytes ? 0 : -1;
}

static int in_annex(uint32_t section) {
  return section_module((int)section) >= DARSHAN_MAX_MODULES;
}

int stretches_add(struct stretches *stretches, struct arena *arena,
                  struct log_compressor *compressor, const struct stretch *kind,
                  const struct log_records *records) {
  size_t n = records->length;
  struct stretch *line = &stretches->lines[stretches->count];
  *line = *kind;
  line->raw = n;
  line->stored = line->crc = 0;
  stretches->bytes[stretches->count] = NULL;
  if (n > 0) {
    size_t room = log_compress_bound(n);
    char *out = arena_take(arena, room);
    if (!out || (line->stored = log_compress_records(compressor, records, out, room)) == 0)
      return -1;
    stretches->bytes[stretches->count] = out;
    /* What was not needed goes back, while nothing came behind it. */
    arena_shrink(arena, room, line->stored);
    if (in_annex(kind->section)) line->crc = log_checksum(out, line->stored);
  }
  stretches->count++;
  return 0;
}

void stretches_add_ready(struct stretches *stretches, const struct stretch *kind, const void *bytes,
                         size_t n) {
  struct stretch *line = &stretches->lines[stretches->count];
  *line = *kind;
  line->raw = line->stored = n; /* how much they were is asked in the annex only */
  stretches->bytes[stretches->count++] = bytes;
}

void stretch_join(struct stretch *a, const struct stretch *b) {
  if (in_annex(a->section)) a->crc = (uint32_t)crc32_combine(a->crc, b->crc, (z_off_t)b->stored);
  if (b->version > a->version) a->version = b->version;
  a->partial |= b->partial;
  a->stored += b->stored;
  a->raw += b->raw;
}

const struct stretch *stretches_find(const struct stretches *stretches, uint32_t section) {
  for (int i = 0; i < stretches->count; i++)
    if (stretches->lines[i].section == section) return &stretches->lines[i];
  return NULL;
}
