/* Finds the entry of an address: searches .eh_frame_hdr, and reads .eh_frame (frame-rules.h). */
#include "frame-rules.h"

#include <string.h>

enum { ROW = 8, TABLE_ENCODING = POINTER_DATA_RELATIVE | POINTER_SIGNED_4 };

/* Returns a word of row i of the search table, which is within the section, as an address. word: 0
 * for the start of the code, 1 for its entry. */
static uintptr_t row(const struct section *header, size_t table, size_t i, unsigned word) {
  int32_t distance;
  memcpy(&distance, header->bytes + table + ROW * i + 4 * word, sizeof(distance));
  return header->address + (uintptr_t)(intptr_t)distance;
}

/* Returns the address of the entry whose code has the largest start that is not after the address;
 * 0 if there is none. Sets *wrong if the table has an unknown form. */
static uintptr_t search(const struct section *header, uintptr_t address, int *wrong) {
  struct cursor cursor = cursor_at(header, 0, header->size);
  uint64_t version = cursor_number(&cursor, 1);
  unsigned frames = (unsigned)cursor_number(&cursor, 1);
  unsigned counts = (unsigned)cursor_number(&cursor, 1);
  unsigned encoding = (unsigned)cursor_number(&cursor, 1);
  cursor_pointer(&cursor, frames, header->address);
  uint64_t count = cursor_pointer(&cursor, counts, header->address);
  *wrong = cursor.failed || version != 1 || encoding != TABLE_ENCODING ||
           count > (cursor.end - cursor.at) / ROW;
  if (*wrong || count == 0 || row(header, cursor.at, 0, 0) > address) return 0;
  size_t low = 0, high = (size_t)count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (row(header, cursor.at, middle, 0) <= address)
      low = middle;
    else
      high = middle;
  }
  return row(header, cursor.at, low, 1);
}

/* Reads and returns the length of an entry. The cursor then ends at the end of the entry. Marks the
 * cursor as failed if the length is 0 or too large. */
static uint64_t begin(struct cursor *cursor) {
  uint64_t length = cursor_number(cursor, 4);
  if (length == 0xffffffff) length = cursor_number(cursor, 8);
  if (length == 0 || length > cursor->end - cursor->at) cursor->failed = 1;
  if (!cursor->failed) cursor->end = cursor->at + (size_t)length;
  return length;
}

/* Reads the augmentation of a common part: a string of letters, and data for each letter. letters:
 * offset of the string in the section. Returns 0, or -1 if it contains an unknown letter. */
static int read_augmentation(struct cursor *cursor, size_t letters, struct frame_entry *entry) {
  const uint8_t *letter = cursor->section->bytes + letters;
  entry->common_from = cursor->at;
  if (*letter == '\0') return 0;
  if (*letter != 'z') return -1;
  entry->is_augmented = 1;
  uint64_t length = cursor_uleb(cursor);
  if (cursor->failed || length > cursor->end - cursor->at) return -1;
  entry->common_from = cursor->at + (size_t)length;
  for (letter++; *letter; letter++) {
    switch (*letter) {
    case 'R':
      entry->pointer_encoding = (unsigned)cursor_number(cursor, 1);
      break;
    case 'P': /* a function for exceptions */
      cursor_pointer(cursor, (unsigned)cursor_number(cursor, 1) & 0x0f, 0);
      break;
    case 'L':
      cursor_number(cursor, 1);
      break;
    case 'S':
      entry->is_signal_frame = 1;
      break;
    case 'B': /* return addresses are signed with the other key */
    case 'G': /* the stack is tagged */
      break;
    default:
      return -1;
    }
  }
  return cursor->failed || cursor->at > entry->common_from ? -1 : 0;
}

static int read_common(const struct section *frames, size_t at, struct frame_entry *entry) {
  struct cursor cursor = cursor_at(frames, at, frames->size);
  begin(&cursor);
  uint64_t id = cursor_number(&cursor, 4), version = cursor_number(&cursor, 1);
  size_t letters = cursor.at;
  while (cursor_number(&cursor, 1) && !cursor.failed) {
  }
  if (cursor.failed || id != 0 || (version != 1 && version != 3)) return -1;
  entry->code_unit = cursor_uleb(&cursor);
  entry->data_unit = cursor_sleb(&cursor);
  entry->return_register = version == 1 ? cursor_number(&cursor, 1) : cursor_uleb(&cursor);
  entry->pointer_encoding = POINTER_ABSOLUTE;
  if (cursor.failed || read_augmentation(&cursor, letters, entry) < 0) return -1;
  entry->common_to = cursor.end;
  return 0;
}

static int read_entry(const struct section *frames, size_t at, struct frame_entry *entry) {
  struct cursor cursor = cursor_at(frames, at, frames->size);
  begin(&cursor);
  size_t here = cursor.at;
  uint64_t back = cursor_number(&cursor, 4);
  if (cursor.failed || back == 0 || back > here) return -1;
  if (read_common(frames, here - (size_t)back, entry) < 0) return -1;
  entry->start = cursor_pointer(&cursor, entry->pointer_encoding & 0x7f, 0);
  entry->end = entry->start + cursor_pointer(&cursor, entry->pointer_encoding & 0x0f, 0);
  if (entry->end < entry->start) return -1;
  if (entry->is_augmented) cursor_skip(&cursor, cursor_uleb(&cursor));
  entry->own_from = cursor.at;
  entry->own_to = cursor.end;
  return cursor.failed ? -1 : 0;
}

enum frame_found frame_entry_of(const struct object *object, uintptr_t address,
                                struct frame_entry *entry) {
  int wrong = 0;
  const struct section *frames = &object->frames;
  if (!object->header.size || !frames->size) return FRAME_HAS_NONE;
  uintptr_t at = search(&object->header, address, &wrong);
  if (wrong) return FRAME_IS_WRONG;
  if (!at) return FRAME_HAS_NONE;
  *entry = (struct frame_entry){0};
  if (at < frames->address || at - frames->address >= frames->size) return FRAME_IS_WRONG;
  if (read_entry(frames, at - frames->address, entry) < 0) return FRAME_IS_WRONG;
  return address >= entry->start && address < entry->end ? FRAME_FOUND : FRAME_HAS_NONE;
}
