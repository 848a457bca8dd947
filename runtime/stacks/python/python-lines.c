/* Reads CPython's line tables (python_line in python-frames.h). */
#include "python-frames.h"

#include <stdbool.h>

#include "python-layout.h"

enum { CHUNK = 256, MOST_BYTES = 16 << 20, UNIT = 2 /* bytes of an instruction */ };

/* The table, which is read in chunks. */
struct table {
  uintptr_t next;
  size_t left; /* number of bytes that have not been read into the buffer yet */
  size_t at, filled;
  unsigned char buffer[CHUNK];
};

/* Returns the next byte, or -1 at the end of the table. */
static int next_byte(struct table *table) {
  if (table->at == table->filled) {
    size_t n = table->left < CHUNK ? table->left : CHUNK;
    table->at = 0;
    table->filled = n ? python_read_some(table->buffer, table->next, n) : 0;
    table->left = table->filled == n ? table->left - n : 0;
    table->next += n;
    if (!table->filled) return -1;
  }
  return table->buffer[table->at++];
}

static uint32_t as_line(int64_t line) {
  return line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
}

static uint32_t line_in_lnotab(struct table *table, int64_t line, long instruction) {
  for (long at = 0;;) {
    int bytes = next_byte(table), lines = next_byte(table);
    if (bytes < 0 || lines < 0) return as_line(line);
    at += bytes;
    if (at > instruction) return as_line(line);
    line += (int8_t)lines;
  }
}

static uint32_t line_in_linetable(struct table *table, int64_t line, long instruction) {
  enum { NONE = -128 };
  for (long at = 0;;) {
    int bytes = next_byte(table), lines = next_byte(table);
    if (bytes < 0 || lines < 0) return 0;
    at += bytes;
    if ((int8_t)lines != NONE) line += (int8_t)lines;
    if (at > instruction) return (int8_t)lines == NONE ? 0 : as_line(line);
  }
}

/* Reads and returns a signed number. Each byte has 6 bits of it, the lowest first; bit 6 of a byte
 * means that another byte follows. The lowest bit of the whole number is its sign. */
static int64_t signed_number(struct table *table) {
  uint64_t number = 0;
  int byte = 0x40;
  for (unsigned shift = 0; byte >= 0 && (byte & 0x40); shift += 6) {
    byte = next_byte(table);
    if (byte >= 0 && shift < 36) number |= (uint64_t)(byte & 0x3f) << shift;
  }
  return number & 1 ? -(int64_t)(number >> 1) : (int64_t)(number >> 1);
}

static uint32_t line_in_locations(struct table *table, int64_t line, long instruction) {
  enum { ONE_LINE = 10, NO_COLUMNS = 13, LONG = 14, NONE = 15 };
  int byte = next_byte(table);
  for (long at = 0; byte >= 0;) {
    int how = byte >> 3 & 15;
    at += ((byte & 7) + 1) * UNIT;
    if (how == NO_COLUMNS || how == LONG)
      line += signed_number(table);
    else if (how >= ONE_LINE && how < NO_COLUMNS)
      line += how - ONE_LINE;
    if (at > instruction) return how == NONE ? 0 : as_line(line);
    do
      byte = next_byte(table);
    while (byte >= 0 && !(byte & 0x80));
  }
  return 0;
}

uint32_t python_line(int form, uintptr_t bytes, size_t size, uint32_t first_line,
                     long instruction) {
  struct table table = {.next = bytes, .left = size};
  if (instruction < 0) return as_line(first_line);
  if (size > MOST_BYTES) return 0;
  if (form == PYTHON_LNOTAB) return line_in_lnotab(&table, first_line, instruction);
  if (form == PYTHON_LINETABLE) return line_in_linetable(&table, first_line, instruction);
  return line_in_locations(&table, first_line, instruction);
}
