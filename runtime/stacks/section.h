/* Reads numbers and pointers of a section of an object, never outside its bounds. A read past the
 * end returns 0 and marks the cursor as failed; callers check that once, at the end. */
#ifndef DARSHAN_SECTION_H
#define DARSHAN_SECTION_H

#include <stddef.h>
#include <stdint.h>

/* A section of an object file. bytes: a copy or mapping of the section, which can be read. address:
 * the section's address in the process, to which its pointers are relative. */
struct section {
  const uint8_t *bytes;
  size_t size;
  uintptr_t address;
};

struct cursor {
  const struct section *section;
  size_t at, end; /* offsets in the section */
  int failed;
};

/* Returns a cursor over the section from offset `at` to `end`, limited to the section's size. */
struct cursor cursor_at(const struct section *section, size_t at, size_t end);

/* Reads and returns a little-endian number of 1, 2, 4 or 8 bytes. Returns 0 and marks the cursor as
 * failed if fewer bytes are left. Inline, because a walk spends most of its time here. */
static inline __attribute__((always_inline)) uint64_t cursor_number(struct cursor *cursor,
                                                                    unsigned bytes) {
  uint64_t value = 0;
  if (cursor->end - cursor->at < bytes) {
    cursor->at = cursor->end;
    cursor->failed = 1;
    return 0;
  }
  const uint8_t *from = cursor->section->bytes + cursor->at;
  cursor->at += bytes;
  /* Both processors are little-endian. */
  switch (bytes) {
  case 1:
    return *from;
  case 2:
    __builtin_memcpy(&value, from, 2);
    break;
  case 4:
    __builtin_memcpy(&value, from, 4);
    break;
  default:
    __builtin_memcpy(&value, from, 8);
  }
  return value;
}
/* Like cursor_number: cursor_signed reads a signed number of 1, 2, 4 or 8 bytes, cursor_uleb an
 * unsigned and cursor_sleb a signed LEB128 number. cursor_skip moves the cursor by `bytes`, or to
 * the end and marks it as failed if fewer are left. */
int64_t cursor_signed(struct cursor *cursor, unsigned bytes);
uint64_t cursor_uleb(struct cursor *cursor);
int64_t cursor_sleb(struct cursor *cursor);
void cursor_skip(struct cursor *cursor, uint64_t bytes);

/* Encodings of pointers in unwind tables. The low four bits: how the number is stored. The next
 * three bits: what the number is relative to. */
enum {
  POINTER_ABSOLUTE = 0x00,
  POINTER_UNSIGNED_4 = 0x03,
  POINTER_SIGNED_4 = 0x0b,
  POINTER_PC_RELATIVE = 0x10,
  POINTER_DATA_RELATIVE = 0x30,
  POINTER_INDIRECT = 0x80,
  POINTER_OMITTED = 0xff
};
/* Reads a pointer and returns its address, or 0 for POINTER_OMITTED. Does not follow
 * POINTER_INDIRECT: the result is then the address of the pointer. data: the address to which
 * POINTER_DATA_RELATIVE is relative. Unknown encodings mark the cursor as failed. */
uintptr_t cursor_pointer(struct cursor *cursor, unsigned encoding, uintptr_t data);

#endif
