/* Stores the name region as a hash table. The entries stay in one buffer in the order of the file.
 * A slot of the table holds the offset of an entry in 4 bytes. */
#include "bytes.h"
#include "reader.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum {
  STEP = 64 * 1024,
  ID_SIZE = 8,
  ENTRY_MAX = ID_SIZE + 64 * 1024, /* bytes of an entry with NUL; a longer one may be rejected */
  REPEATS_MAX =
      16, /* factor by which the region may repeat names, because many ranks write the same names */
  FORMAT_COUNTED = 300 /* format whose names have a length field instead of a NUL */
};

static uint64_t id_at(const struct darshan_names *names, size_t place) {
  uint64_t id;
  memcpy(&id, names->text + place, ID_SIZE);
  return id;
}

/* Returns the hash of an id, with a random seed per log. Ids are untrusted: without the seed,
 * colliding ids would make the time to open a log quadratic. */
static size_t hash_of(const struct darshan_names *names, uint64_t id) {
  uint64_t x = id ^ names->seed;
  x = (x ^ x >> 32) * UINT64_C(0x9E3779B97F4A7C15);
  x = (x ^ x >> 29) * (names->seed | 1);
  return (size_t)(x ^ x >> 32);
}

/* Returns the slot of this id; a free slot if the id is new. */
static uint32_t *slot_of(const struct darshan_names *names, uint64_t id) {
  size_t mask = names->num_slots - 1;
  size_t i = hash_of(names, id) & mask;
  while (names->slots[i] && id_at(names, names->slots[i] - 1) != id)
    i = (i + 1) & mask;
  return &names->slots[i];
}

static int grow_table(struct darshan_names *names) {
  uint32_t *old = names->slots;
  size_t num_old = names->num_slots;
  if (!old && getrandom(&names->seed, sizeof(names->seed), GRND_NONBLOCK) < 0)
    names->seed = (uint64_t)(uintptr_t)names;
  names->num_slots = num_old ? 2 * num_old : 1024;
  names->slots = calloc(names->num_slots, sizeof(*names->slots));
  for (size_t i = 0; names->slots && i < num_old; i++)
    if (old[i]) *slot_of(names, id_at(names, old[i] - 1)) = old[i];
  free(old);
  return names->slots ? 0 : -1;
}

/* Adds the entry of `length` bytes that starts at names->used. Drops it if the id already has a
 * name, unless that name is empty and the new one is not. Returns 0, also for a dropped entry, or
 * -1 if out of memory. */
static int add_entry(struct darshan_names *names, size_t length) {
  if (3 * names->count >= 2 * names->num_slots && grow_table(names) != 0) return -1;
  uint32_t *slot = slot_of(names, id_at(names, names->used));
  bool known = *slot != 0;
  bool better = known && names->text[*slot - 1 + ID_SIZE] == '\0' && length > ID_SIZE + 1;
  if (known && !better) return 0;
  *slot = (uint32_t)names->used + 1;
  names->used += length;
  names->count += !known;
  return 0;
}

/* Returns the length in bytes that the entry at `from` has in the table of names, with NUL. Sets
 * *in_file to its length in the file. Returns 0 if the n bytes do not contain the whole entry, -1
 * if the name is too long. */
static long entry_length(const char *from, size_t n, const struct darshan_frame *frame,
                         size_t *in_file) {
  if (frame->format != FORMAT_COUNTED) {
    if (n <= ID_SIZE) return 0;
    const char *end = memchr(from + ID_SIZE, '\0', n - ID_SIZE);
    if (!end) return n > ENTRY_MAX ? -1 : 0;
    *in_file = (size_t)(end - from) + 1;
    return (long)*in_file;
  }
  uint32_t length;
  if (n < ID_SIZE + sizeof(length)) return 0;
  memcpy(&length, from + ID_SIZE, sizeof(length));
  if (frame->swapped) darshan_swap_halves(&length, 1);
  if (length >= ENTRY_MAX - ID_SIZE - sizeof(length)) return -1;
  *in_file = ID_SIZE + sizeof(length) + length;
  return n < *in_file ? 0 : (long)(ID_SIZE + length + 1);
}

/* Copies a complete entry from the file's form at `from` to the table's form at names->used: id in
 * host byte order, name, NUL. length: bytes of the table's form. */
static void place_entry(struct darshan_names *names, const char *from, size_t length,
                        const struct darshan_frame *frame) {
  char *to = names->text + names->used;
  size_t skip = frame->format == FORMAT_COUNTED ? sizeof(uint32_t) : 0;
  memmove(to, from, ID_SIZE);
  memmove(to + ID_SIZE, from + ID_SIZE + skip, length - ID_SIZE - 1);
  to[length - 1] = '\0';
  if (frame->swapped) darshan_swap_words(to, 1);
}

/* Adds the complete entries of names->text from offset names->used to `end` (exclusive) and moves
 * the incomplete rest behind them. Returns the new end, or -1 with an error. */
static long take_entries(struct darshan_names *names, size_t end, const struct darshan_frame *frame,
                         struct darshan_error *error) {
  size_t from = names->used, in_file = 0;
  for (;;) {
    long length = entry_length(names->text + from, end - from, frame, &in_file);
    if (length < 0)
      return darshan_fail(error, "corrupt data: the name region has a name that is too long");
    if (length == 0) break;
    place_entry(names, names->text + from, (size_t)length, frame);
    if (add_entry(names, (size_t)length) != 0)
      return darshan_fail(error, "cannot store the names of records: out of memory");
    from += in_file;
  }
  memmove(names->text + names->used, names->text + from, end - from);
  return (long)(names->used + end - from);
}

static int read_all(struct darshan_names *names, struct darshan_stream *stream,
                    const struct darshan_frame *frame, struct darshan_error *error) {
  size_t end = 0;
  uint64_t total = 0;
  for (;;) {
    if (names->capacity - end < STEP) {
      size_t capacity = names->capacity ? 2 * names->capacity : (size_t)4 * STEP;
      char *text = realloc(names->text, capacity);
      if (!text) return darshan_fail(error, "cannot store the names of records: out of memory");
      names->text = text;
      names->capacity = capacity;
    }
    size_t got = darshan_stream_read(stream, names->text + end, STEP);
    if (stream->failure.text[0])
      return darshan_fail(error, "cannot read the name region: %.200s", stream->failure.text);
    if (got == 0) break;
    total += got;
    if (names->used > DARSHAN_NAMES_MAX || total / REPEATS_MAX > DARSHAN_NAMES_MAX)
      return darshan_fail(error, "the name region has more than %llu MiB of names",
                          (unsigned long long)(DARSHAN_NAMES_MAX >> 20));
    long taken = take_entries(names, end + got, frame, error);
    if (taken < 0) return -1;
    end = (size_t)taken;
  }
  if (end != names->used)
    return darshan_fail(error, "the last name of the name region is truncated");
  return 0;
}

int darshan_names_read(struct darshan_names *names, const struct darshan_file *file,
                       const struct darshan_frame *frame, struct darshan_error *error) {
  memset(names, 0, sizeof(*names));
  struct darshan_region region = frame->header.names;
  if (region.len == 0) return 0;
  if (region.off < frame->header_size || region.off > file->size ||
      region.len > file->size - region.off)
    return darshan_fail(error, "the name region lies outside of the file (truncated log?)");
  struct darshan_stream stream;
  if (darshan_stream_open(&stream, file, region, frame->header.comp_type, error) != 0) return -1;
  int result = read_all(names, &stream, frame, error);
  darshan_stream_close(&stream);
  return result;
}

const char *darshan_names_find(const struct darshan_names *names, uint64_t id) {
  if (names->count == 0) return NULL;
  uint32_t place = *slot_of(names, id);
  return place ? names->text + place - 1 + ID_SIZE : NULL;
}

/* Calls `each` for every name in the order of the text. Skips an empty name that a later entry
 * replaced. */
void darshan_names_each(const struct darshan_names *names,
                        void (*each)(uint64_t id, const char *name, void *context), void *context) {
  for (size_t place = 0; place < names->used;) {
    const char *name = names->text + place + ID_SIZE;
    uint64_t id = id_at(names, place);
    if (*slot_of(names, id) == place + 1) each(id, name, context);
    place += ID_SIZE + strlen(name) + 1;
  }
}

void darshan_names_free(struct darshan_names *names) {
  free(names->text);
  free(names->slots);
  memset(names, 0, sizeof(*names));
}
