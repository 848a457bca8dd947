/* Reads numbers and pointers of a section of a loaded object (section.h). */
#include "section.h"

#include <string.h>

struct cursor cursor_at(const struct section *section, size_t at, size_t end) {
  struct cursor cursor = {section, at, end, 0};
  if (cursor.end > section->size) cursor.end = section->size;
  if (cursor.at > cursor.end) cursor.at = cursor.end, cursor.failed = 1;
  return cursor;
}

int64_t cursor_signed(struct cursor *cursor, unsigned bytes) {
  unsigned unused = 64 - 8 * bytes;
  return (int64_t)(cursor_number(cursor, bytes) << unused) >> unused;
}

/* Reads a number of variable length (LEB128). Returns its bits. Stores their number in *bits, and
 * in *negative whether its highest bit is set. Bits above the 64th are lost. */
static uint64_t leb(struct cursor *cursor, unsigned *bits, int *negative) {
  uint64_t value = 0, byte;
  *bits = 0;
  do {
    byte = cursor_number(cursor, 1);
    if (*bits < 64) value |= (byte & 0x7f) << *bits;
    if (*bits < 64) *bits += 7;
  } while ((byte & 0x80) && !cursor->failed);
  *negative = (byte & 0x40) != 0;
  return value;
}

uint64_t cursor_uleb(struct cursor *cursor) {
  unsigned bits;
  int negative;
  return leb(cursor, &bits, &negative);
}

int64_t cursor_sleb(struct cursor *cursor) {
  unsigned bits;
  int negative;
  uint64_t value = leb(cursor, &bits, &negative);
  if (negative && bits < 64) value |= ~(uint64_t)0 << bits;
  return (int64_t)value;
}

void cursor_skip(struct cursor *cursor, uint64_t bytes) {
  if (bytes > cursor->end - cursor->at) {
    cursor->failed = 1;
    bytes = cursor->end - cursor->at;
  }
  cursor->at += (size_t)bytes;
}

static uint64_t stored(struct cursor *cursor, unsigned form) {
  switch (form) {
  case 0x00: /* a whole address */
  case 0x04:
  case 0x0c:
    return cursor_number(cursor, 8);
  case 0x01:
    return cursor_uleb(cursor);
  case 0x02:
    return cursor_number(cursor, 2);
  case 0x03:
    return cursor_number(cursor, 4);
  case 0x09:
    return (uint64_t)cursor_sleb(cursor);
  case 0x0a:
    return (uint64_t)cursor_signed(cursor, 2);
  case 0x0b:
    return (uint64_t)cursor_signed(cursor, 4);
  default:
    cursor->failed = 1;
    return 0;
  }
}

uintptr_t cursor_pointer(struct cursor *cursor, unsigned encoding, uintptr_t data) {
  uintptr_t here = cursor->section->address + cursor->at;
  if (encoding == POINTER_OMITTED) return 0;
  uint64_t value = stored(cursor, encoding & 0x0f);
  switch (encoding & 0x70) {
  case POINTER_ABSOLUTE:
    return value;
  case POINTER_PC_RELATIVE:
    return here + value;
  case POINTER_DATA_RELATIVE:
    return data + value;
  default:
    cursor->failed = 1;
    return 0;
  }
}
