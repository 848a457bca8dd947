/* Makes the LUSTRE record of a file from its layout as Lustre returns it (layout.h). */
#include "layout.h"

#include <string.h>

#include "records.h"

enum {
  MAGIC_V1 = 0x0BD10BD0,
  MAGIC_V3 = 0x0BD30BD0,
  MAGIC_COMPOSITE = 0x0BD60BD0,
  MAGIC_FOREIGN = 0x0BD70BD0,
  HEAD_V1 = 32, /* magic, pattern, id (16), stripe size, stripes (16 bit), generation */
  HEAD_V3 = 48, /* as HEAD_V1, then the name of the pool (16) */
  HEAD_FOREIGN = 16,
  HEAD_COMPOSITE = 32, /* magic, size, generation, flags, entries (16 bit), mirrors, ... */
  ENTRY = 48,          /* id, flags, start, end, offset, size, ... */
  OBJECT = 24,         /* id (16), generation, index of the OST */
  OBJECT_OST = 20
};

/* Bits of the pattern of a component in Lustre's reply. */
enum { RAID0 = 0x1, MDT = 0x100, OVERSTRIPED = 0x200, FOREIGN = 0x400 };
/* Values of the pattern in the record of the log. */
enum { SAID_RAID0 = 0, SAID_MDT = 2, SAID_OVERSTRIPED = 4, SAID_FOREIGN = 8, SAID_NOTHING = -1 };
#define RELEASED                                                                                   \
  0x80000000u /* bit of the pattern: the data are in an archive, and there are no objects */
#define NEGATED 0x80000000u /* flag in Lustre's reply; it becomes SAID_NEGATED in the record */
/* Flags of an entry of a composite layout. INITIALISED: its objects exist. EXTENSION: it is an
 * extension space. PLAIN_FLAGS: the flags that the record has unchanged. SAID_NEGATED: the record's
 * flag for NEGATED. */
enum { INITIALISED = 0x10, EXTENSION = 0x40, PLAIN_FLAGS = 0x7ff, SAID_NEGATED = 0x800 };

static uint32_t word(const unsigned char *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}
static uint32_t half_word(const unsigned char *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}
static int64_t long_word(const unsigned char *at) {
  return (int64_t)((uint64_t)word(at) | (uint64_t)word(at + 4) << 32);
}

/* A component: its fields in the record, and its objects. */
struct part {
  struct darshan_lustre_component said;
  const unsigned char *objects; /* NULL: no objects, the OSTs are unknown */
};

/* Returns the record's value for a pattern of Lustre; SAID_NOTHING if it is unknown. */
static int64_t kind_of(uint32_t pattern) {
  switch (pattern & (RAID0 | MDT | OVERSTRIPED | FOREIGN)) {
  case RAID0:
    return SAID_RAID0;
  case MDT:
    return SAID_MDT;
  case RAID0 | OVERSTRIPED:
    return SAID_OVERSTRIPED;
  case FOREIGN:
    return SAID_FOREIGN;
  default:
    return SAID_NOTHING;
  }
}

/* Reads a layout of n bytes that is not composite into *part, which points to its objects. Returns
 * 1, or 0 if it is not the layout of a file. */
static int read_plain(struct part *part, const unsigned char *bytes, size_t n) {
  int64_t *said = part->said.counters;
  memset(part, 0, sizeof(*part));
  said[LUSTRE_COMP_EXT_END] = -1;
  uint32_t magic = n >= HEAD_FOREIGN ? word(bytes) : 0;
  if (magic == MAGIC_FOREIGN) {
    said[LUSTRE_COMP_STRIPE_PATTERN] = SAID_FOREIGN;
    return 1;
  }
  size_t head = magic == MAGIC_V1 ? HEAD_V1 : magic == MAGIC_V3 ? HEAD_V3 : n + 1;
  if (n < head) return 0;
  uint32_t pattern = word(bytes + 4), stripes = half_word(bytes + 28);
  said[LUSTRE_COMP_STRIPE_SIZE] = word(bytes + 24);
  said[LUSTRE_COMP_STRIPE_PATTERN] = kind_of(pattern);
  if (magic == MAGIC_V3) memcpy(part->said.pool_name, bytes + HEAD_V1, HEAD_V3 - HEAD_V1);
  part->said.pool_name[sizeof(part->said.pool_name) - 1] = '\0';
  if (said[LUSTRE_COMP_STRIPE_PATTERN] == SAID_MDT) return 1;
  said[LUSTRE_COMP_STRIPE_COUNT] = stripes;
  if ((n - head) / OBJECT >= stripes) part->objects = bytes + head;
  /* Rejects a layout without objects, which is a folder's default for new files, unless the data
   * are in an archive. */
  return stripes != 0 && (part->objects || (pattern & RELEASED));
}

/* Reads entry `number` (from 0) of a composite layout of n bytes into *part. Returns 1; 0 if the
 * objects of the entry do not exist yet; -1 if it is invalid. */
static int read_entry(struct part *part, const unsigned char *bytes, size_t n, size_t number) {
  const unsigned char *entry = bytes + HEAD_COMPOSITE + number * ENTRY;
  uint32_t flags = word(entry + 4), offset = word(entry + 24), size = word(entry + 28);
  if (offset > n || size > n - offset) return -1;
  if (!(flags & INITIALISED)) return 0;
  if (!read_plain(part, bytes + offset, size)) return -1;
  int64_t *said = part->said.counters;
  said[LUSTRE_COMP_FLAGS] = (flags & PLAIN_FLAGS) | (flags & NEGATED ? SAID_NEGATED : 0);
  said[LUSTRE_COMP_EXT_START] = long_word(entry + 8);
  said[LUSTRE_COMP_EXT_END] = long_word(entry + 16);
  said[LUSTRE_COMP_MIRROR_ID] = word(entry) >> 16 & 0x7fff;
  return 1;
}

/* Reads component `number` (from 0) of a layout of n bytes into *part. entries: number of entries;
 * 0 if the layout is not composite. Returns 1; 0 if the component must be skipped; a negative value
 * if an entry of a composite layout is invalid. */
static int read_part(struct part *part, const unsigned char *bytes, size_t n, size_t entries,
                     size_t number) {
  return entries ? read_entry(part, bytes, n, number) : read_plain(part, bytes, n);
}

/* Returns the number of components that the record gets, or 0 if this is not the layout of a file.
 * entries: as in read_part. Sets *settled to 1 if all components have their objects, otherwise to
 * 0; extension spaces are not considered, because they never get any. */
static size_t count_parts(const unsigned char *bytes, size_t n, size_t entries, int *settled) {
  struct part part;
  size_t kept = 0;
  *settled = 1;
  for (size_t i = 0; i < (entries ? entries : 1); i++) {
    int result = read_part(&part, bytes, n, entries, i);
    if (result < 0) return 0;
    kept += result > 0;
    if (result == 0 && entries) {
      uint32_t flags = word(bytes + HEAD_COMPOSITE + i * ENTRY + 4);
      *settled = *settled && (flags & EXTENSION);
    }
  }
  return kept;
}

/* Returns the number of entries of a composite layout of n bytes; 0 if the layout is not composite;
 * -1 if it is, but bytes are missing or there is no entry. */
static int64_t count_entries(const unsigned char *bytes, size_t n) {
  if (n < HEAD_COMPOSITE || word(bytes) != MAGIC_COMPOSITE) return 0;
  size_t entries = half_word(bytes + 14);
  return entries == 0 || entries > (n - HEAD_COMPOSITE) / ENTRY ? -1 : (int64_t)entries;
}

/* Writes the index of the OST of each stripe, 64 bits each, to out; -1: unknown. Returns the end.
 */
static char *put_osts(char *out, const struct part *part) {
  int64_t stripes = part->said.counters[LUSTRE_COMP_STRIPE_COUNT];
  for (int64_t i = 0; i < stripes; i++, out += sizeof(int64_t)) {
    int64_t ost = part->objects ? (int64_t)word(part->objects + i * OBJECT + OBJECT_OST) : -1;
    if (ost > INT32_MAX) ost = -1;
    memcpy(out, &ost, sizeof(ost));
  }
  return out;
}

size_t lustre_record(char *out, size_t room, uint64_t id, int64_t rank, const void *reply, size_t n,
                     int *settled) {
  const unsigned char *bytes = reply;
  struct part part;
  int64_t entries = count_entries(bytes, n);
  size_t kept = entries < 0 ? 0 : count_parts(bytes, n, (size_t)entries, settled);
  struct darshan_lustre_head head = {.base = {id, rank}, .num_comps = (int64_t)kept};
  size_t used = sizeof(head) + kept * sizeof(part.said);
  if (kept == 0 || used > room) return 0;
  char *component = out + sizeof(head), *osts = out + used;
  for (size_t i = 0; i < (entries ? (size_t)entries : 1); i++) {
    if (read_part(&part, bytes, n, (size_t)entries, i) <= 0) continue;
    size_t stripes = (size_t)part.said.counters[LUSTRE_COMP_STRIPE_COUNT];
    if (stripes > (room - (size_t)(osts - out)) / sizeof(int64_t)) return 0;
    memcpy(component, &part.said, sizeof(part.said));
    component += sizeof(part.said);
    osts = put_osts(osts, &part);
    head.num_stripes += (int64_t)stripes;
  }
  memcpy(out, &head, sizeof(head));
  return (size_t)(osts - out);
}
