/* Reads the annex: blocks of this project's own modules, which the trailer at the end of the file
 * locates (log-format.h). A corrupt annex is skipped as a whole. */
#include "../bytes.h"
#include "../reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CHECK_STEP = 64 * 1024 };

/* Reads the annex's trailer at the end of the file, in host byte order. Returns 1 if the file has
 * one, otherwise 0. swapped: the log has the opposite byte order. */
static int find_trailer(struct darshan_annex_trailer *trailer, const struct darshan_file *file,
                        bool swapped) {
  if (file->size < sizeof(struct darshan_header) + sizeof(*trailer)) return 0;
  long got = darshan_file_read(file, trailer, sizeof(*trailer), file->size - sizeof(*trailer));
  if (got != (long)sizeof(*trailer)) return 0;
  if (memcmp(trailer->magic, DARSHAN_ANNEX_MAGIC, sizeof(trailer->magic)) != 0) return 0;
  if (swapped) {
    darshan_swap_halves(&trailer->version, 2);
    darshan_swap_words(&trailer->offset, 2);
    darshan_swap_halves(&trailer->checksum, 2);
  }
  return 1;
}

void darshan_lookups_read(struct darshan_lookups *lookups, const struct darshan_file *file,
                          bool swapped) {
  struct darshan_annex_trailer trailer;
  memset(lookups, 0, sizeof(*lookups));
  if (file->size < DARSHAN_LOOKUPS_PAGE || !find_trailer(&trailer, file, swapped)) return;
  if (!(trailer.flags & DARSHAN_ANNEX_LIVE)) return;
  long got = darshan_file_read(file, lookups, sizeof(*lookups), file->size - DARSHAN_LOOKUPS_PAGE);
  if (swapped) darshan_swap_halves(&lookups->version, 2);
  if (got != (long)sizeof(*lookups) || lookups->version != DARSHAN_LOOKUPS_VERSION ||
      memcmp(lookups->magic, DARSHAN_LOOKUPS_MAGIC, sizeof(lookups->magic)) != 0)
    memset(lookups, 0, sizeof(*lookups));
  for (int i = 0; swapped && i < DARSHAN_LOOKUPS; i++) {
    lookups->slot[i].taken = __builtin_bswap16(lookups->slot[i].taken);
    lookups->slot[i].length = __builtin_bswap16(lookups->slot[i].length);
  }
}

/* Returns 0 if the checksum of the annex is right or the annex is in a journal, which has none.
 * Otherwise, and if reading fails, returns -1 with an error. */
static int check_sum(const struct darshan_annex_trailer *trailer, const struct darshan_file *file,
                     struct darshan_error *error) {
  if (trailer->flags & DARSHAN_ANNEX_LIVE) return 0;
  unsigned char *bytes = malloc(CHECK_STEP);
  if (!bytes) return darshan_fail(error, "cannot read the annex: out of memory");
  uLong sum = crc32(0, NULL, 0);
  uint64_t done = 0;
  long got = 0;
  while (done < trailer->length) {
    uint64_t rest = trailer->length - done;
    size_t n = rest < CHECK_STEP ? (size_t)rest : CHECK_STEP;
    got = darshan_file_read(file, bytes, n, trailer->offset + done);
    if (got <= 0) break;
    sum = crc32(sum, bytes, (uInt)got);
    done += (uint64_t)got;
  }
  const char *why = got < 0 ? strerror(errno) : "the file ends there";
  free(bytes);
  if (done < trailer->length)
    return darshan_fail(error, "cannot read the data of the annex at offset %llu: %s",
                        (unsigned long long)(trailer->offset + done), why);
  if (sum != trailer->checksum) return darshan_fail(error, "the checksum of the annex is wrong");
  return 0;
}

/* Checks the head of a block. room: bytes of the annex after the head. annex: the blocks so far.
 * Returns 0; -1 with an error if the block is invalid. */
static int check_block(const struct darshan_annex_block *block, uint64_t room,
                       const struct darshan_annex *annex, struct darshan_error *error) {
  if (block->module < DARSHAN_ANNEX_FIRST_ID || block->module > INT32_MAX)
    return darshan_fail(error, "a block of the annex has the invalid module id %u",
                        (unsigned)block->module);
  if (block->version > INT32_MAX)
    return darshan_fail(error, "a block of the annex has the invalid version %u",
                        (unsigned)block->version);
  if (block->comp_type != DARSHAN_ZLIB && block->comp_type != DARSHAN_UNCOMPRESSED)
    return darshan_fail(error, "a block of the annex has the unknown compression method %u",
                        (unsigned)block->comp_type);
  if (block->stored_len > room)
    return darshan_fail(error, "a block of the annex is longer than the annex");
  if (block->comp_type == DARSHAN_UNCOMPRESSED && block->raw_len > block->stored_len)
    return darshan_fail(error, "a block of the annex claims more bytes than it contains");
  for (int i = 0; i < annex->num_blocks; i++)
    if (annex->blocks[i].block.module == block->module)
      return darshan_fail(error, "two blocks of the annex are of module %u",
                          (unsigned)block->module);
  return 0;
}

/* Inserts a block into `annex`, which stays sorted by module id. */
static void insert_block(struct darshan_annex *annex, const struct darshan_annex_entry *entry) {
  int i = annex->num_blocks++;
  for (; i > 0 && annex->blocks[i - 1].block.module > entry->block.module; i--)
    annex->blocks[i] = annex->blocks[i - 1];
  annex->blocks[i] = *entry;
}

static int read_blocks(struct darshan_annex *annex, const struct darshan_annex_trailer *trailer,
                       const struct darshan_file *file, bool swapped) {
  struct darshan_error *error = &annex->problem;
  uint64_t offset = trailer->offset, left = trailer->length;
  if (trailer->num_blocks > DARSHAN_ANNEX_BLOCKS_MAX)
    return darshan_fail(error, "the annex has the invalid number of %u blocks",
                        (unsigned)trailer->num_blocks);
  for (uint32_t i = 0; i < trailer->num_blocks; i++) {
    struct darshan_annex_entry entry;
    struct darshan_annex_block *block = &entry.block;
    if (left < sizeof(*block)) return darshan_fail(error, "the annex ends inside a block");
    long got = darshan_file_read(file, block, sizeof(*block), offset);
    if (got != (long)sizeof(*block))
      return darshan_fail(error, "cannot read a block of the annex at offset %llu: %s",
                          (unsigned long long)offset,
                          got < 0 ? strerror(errno) : "the file ends there");
    if (swapped) {
      darshan_swap_halves(&block->module, 4);
      darshan_swap_words(&block->stored_len, 2);
    }
    left -= sizeof(*block);
    if (check_block(block, left, annex, error) != 0) return -1;
    entry.offset = offset + sizeof(*block);
    offset = entry.offset + block->stored_len;
    left -= block->stored_len;
    insert_block(annex, &entry);
  }
  return left == 0 ? 0 : darshan_fail(error, "bytes follow the last block of the annex");
}

void darshan_annex_read(struct darshan_annex *annex, const struct darshan_file *file,
                        bool swapped) {
  memset(annex, 0, sizeof(*annex));
  struct darshan_annex_trailer trailer;
  if (!find_trailer(&trailer, file, swapped)) return;
  uint64_t end = file->size - sizeof(trailer);
  int result = 0;
  if (trailer.version != DARSHAN_ANNEX_VERSION)
    result = darshan_fail(&annex->problem, "version %u of the annex is not supported",
                          (unsigned)trailer.version);
  else if (trailer.offset < sizeof(struct darshan_header) || trailer.offset > end ||
           trailer.length > end - trailer.offset)
    result = darshan_fail(&annex->problem, "the annex lies outside of the file");
  else if (check_sum(&trailer, file, &annex->problem) == 0)
    result = read_blocks(annex, &trailer, file, swapped);
  if (result != 0 || annex->problem.text[0]) annex->num_blocks = 0;
}
