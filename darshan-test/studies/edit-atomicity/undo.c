#include "undo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "durable.h"

/* BLOCK: bytes of the aligned ranges that are saved, so that neighbouring small writes need one
 * record. LARGEST: most original bytes in a record. */
enum { BLOCK = 4096, LARGEST = 1 << 20 };

static const char magic[8] = "H5UNDO1";

struct header {
  char magic[8];
  uint64_t size;          /* of the file before the edit */
  uint64_t device, inode; /* a journal never overwrites another file */
  uint64_t checksum;      /* of the fields above */
};

struct record {
  uint64_t offset, length;
  uint64_t checksum; /* of the fields above and the bytes that follow */
};

struct undo {
  char *path, *journal_path;
  int file, journal;
  off_t end;            /* of the journal */
  off_t size;           /* of the file before the edit */
  unsigned char *saved; /* a bit per block */
  char *buffer;         /* a record with its bytes */
};

static uint64_t header_checksum(const struct header *header) {
  return crc32(0, (const void *)header, offsetof(struct header, checksum));
}

static uint64_t record_checksum(const struct record *record, const void *bytes) {
  uLong sum = crc32(0, (const void *)record, offsetof(struct record, checksum));
  return crc32(sum, bytes, (uInt)record->length);
}

void undo_abandon(struct undo *undo) {
  if (undo->file >= 0) close(undo->file);
  if (undo->journal >= 0) close(undo->journal);
  free(undo->path);
  free(undo->journal_path);
  free(undo->saved);
  free(undo->buffer);
  free(undo);
}

/* Writes and syncs the header of the journal, and allocates the bits of saved blocks. Returns 0, or
 * -1 with errno. */
static int write_header(struct undo *undo) {
  struct stat status;
  struct header header = {.size = 0};
  if (fstat(undo->file, &status)) return -1;
  undo->size = status.st_size;
  undo->saved = calloc((size_t)(status.st_size / BLOCK / 8 + 1), 1);
  memcpy(header.magic, magic, sizeof magic);
  header.size = (uint64_t)status.st_size;
  header.device = status.st_dev;
  header.inode = status.st_ino;
  header.checksum = header_checksum(&header);
  undo->end = sizeof header;
  if (!undo->saved || write_all(undo->journal, &header, sizeof header, 0)) return -1;
  return sync_descriptor(undo->journal) || sync_folder_of(undo->path) ? -1 : 0;
}

struct undo *undo_begin(const char *path) {
  struct undo *undo = calloc(1, sizeof *undo);
  if (!undo) return complain("no memory for", path), NULL;
  undo->journal = -1;
  undo->file = open(path, O_RDONLY | O_CLOEXEC);
  undo->path = strdup(path);
  undo->journal_path = hidden_name(path, ".undo");
  undo->buffer = malloc(sizeof(struct record) + LARGEST);
  if (undo->journal_path)
    undo->journal = open(undo->journal_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (undo->file < 0 || undo->journal < 0 || !undo->path || !undo->buffer || write_header(undo)) {
    complain("cannot start a journal for", path);
    undo_abandon(undo);
    return NULL;
  }
  return undo;
}

/* Returns whether a block, by its number, is in the journal. */
static int is_saved(const struct undo *undo, off_t block) {
  return undo->saved[block / 8] >> block % 8 & 1;
}

/* Appends the original bytes of a range to the journal. Returns 0, or -1 with errno. */
static int append_record(struct undo *undo, off_t offset, size_t length) {
  struct record record = {(uint64_t)offset, length, 0};
  char *bytes = undo->buffer + sizeof record;
  if (read_all(undo->file, bytes, length, offset)) return -1;
  record.checksum = record_checksum(&record, bytes);
  memcpy(undo->buffer, &record, sizeof record);
  if (write_all(undo->journal, undo->buffer, sizeof record + length, undo->end)) return -1;
  undo->end += (off_t)(sizeof record + length);
  return 0;
}

int undo_save(struct undo *undo, off_t offset, size_t length) {
  off_t end = undo->size - offset < (off_t)length ? undo->size : offset + (off_t)length;
  off_t last = (end + BLOCK - 1) / BLOCK, before = undo->end;
  for (off_t block = offset / BLOCK, next; offset < end && block < last; block = next) {
    for (next = block; next < last && next - block < LARGEST / BLOCK && !is_saved(undo, next);)
      next++;
    off_t until = next * BLOCK < undo->size ? next * BLOCK : undo->size;
    if (next == block)
      next++;
    else if (append_record(undo, block * BLOCK, (size_t)(until - block * BLOCK)))
      return complain("cannot save what is overwritten in", undo->path);
    else
      for (off_t i = block; i < next; i++)
        undo->saved[i / 8] |= (unsigned char)(1 << i % 8);
  }
  if (undo->end != before && sync_descriptor(undo->journal))
    return complain("cannot sync the journal of", undo->path);
  return 0;
}

int undo_commit(struct undo *undo) {
  int result = unlink(undo->journal_path) || sync_folder_of(undo->path)
                   ? complain("cannot remove the journal of", undo->path)
                   : 0;
  undo_abandon(undo);
  return result;
}

/* Copies the original bytes of all complete records of the journal into the file. Both are
 * descriptors. Returns 0, or -1 on failure. The first incomplete record ends the journal: it was
 * not synced, so its bytes of the file have not been overwritten. */
static int put_back(int journal, int file) {
  struct record record;
  char *bytes = malloc(LARGEST);
  off_t at = sizeof(struct header);
  int result = bytes ? 0 : -1;
  while (!result && !read_all(journal, &record, sizeof record, at)) {
    at += sizeof record;
    if (record.length > LARGEST || read_all(journal, bytes, record.length, at) ||
        record_checksum(&record, bytes) != record.checksum)
      break;
    result = write_all(file, bytes, record.length, (off_t)record.offset);
    at += (off_t)record.length;
  }
  free(bytes);
  return result;
}

/* Restores the file at `path` from an open journal: its bytes and its size, and syncs it. An
 * incomplete header means that nothing was overwritten. Returns 0, or -1 after a message. */
static int roll_back(int journal, const char *path) {
  struct header header;
  struct stat status;
  /* Without a complete header nothing was overwritten. */
  if (read_all(journal, &header, sizeof header, 0) || memcmp(header.magic, magic, sizeof magic) ||
      header.checksum != header_checksum(&header))
    return 0;
  int file = open(path, O_WRONLY | O_CLOEXEC), result = 0;
  if (file < 0 || fstat(file, &status)) {
    result = complain("cannot open", path);
  } else if (status.st_dev != header.device || status.st_ino != header.inode) {
    fprintf(stderr, "h5edit: the undo journal beside %s is of another file\n", path);
    result = -1;
  } else if (put_back(journal, file) || ftruncate(file, (off_t)header.size) ||
             sync_descriptor(file))
    result = complain("cannot restore", path);
  if (file >= 0) close(file);
  return result;
}

int undo_recover(const char *path) {
  char *name = hidden_name(path, ".undo");
  int journal = name ? open(name, O_RDONLY | O_CLOEXEC) : -1, result = 1;
  if (!name || (journal < 0 && errno != ENOENT)) {
    result = complain("cannot read the journal of", path);
  } else if (journal < 0) {
    result = 0;
  } else if (roll_back(journal, path)) {
    result = -1;
  } else if (unlink(name) || sync_folder_of(path))
    result = complain("cannot remove", name);
  if (journal >= 0) close(journal);
  free(name);
  return result;
}
