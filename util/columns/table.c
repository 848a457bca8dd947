/* Transposes rows to columns, several rows at once: a single row would touch a cache line in each
 * of a hundred columns for 8 bytes. */
#include "columns.h"

#include <stdlib.h>
#include <string.h>

static size_t size_of(enum darshan_column_type type) {
  switch (type) {
  case DARSHAN_COLUMN_TEXT:
  case DARSHAN_COLUMN_I32:
    return 4;
  case DARSHAN_COLUMN_UUID:
    return 16;
  default:
    return 8;
  }
}

bool table_column(struct table *table, const char *name, enum darshan_column_type type) {
  int count = table->shown.num_columns;
  if ((count & (count + 1)) == 0) { /* grows at 0, 1, 3, 7 ... */
    size_t room = 2 * (size_t)count + 1;
    struct darshan_column *columns = realloc(table->columns, room * sizeof(*columns));
    if (!columns) return false;
    table->columns = columns;
  }
  table->columns[count] = (struct darshan_column){name, (int)type, NULL};
  table->shown.num_columns = count + 1;
  table->shown.columns = table->columns;
  table->words += type == DARSHAN_COLUMN_UUID ? 2 : 1;
  table->row_bytes += size_of(type);
  return true;
}

/* Allocates about `bytes` bytes for the table's rows, and sets where each column begins. Returns
 * false if out of memory. The kernel allocates the pages of such a large block at their first
 * use. */
static bool make_block(struct table *table, uint64_t bytes) {
  size_t row = table->row_bytes;
  table->capacity = (int64_t)(bytes / row) + ROWS_AT_A_TIME;
  table->block = malloc((size_t)table->capacity * row);
  table->waiting = malloc(sizeof(uint64_t) * ROWS_AT_A_TIME * (size_t)table->words);
  if (!table->block || !table->waiting) {
    table_drop(table);
    return false;
  }
  unsigned char *next = table->block;
  /* The widest columns come first, so that each is aligned. */
  for (size_t size = 16; size >= 4; size /= 2)
    for (int i = 0; i < table->shown.num_columns; i++) {
      if (size_of((enum darshan_column_type)table->columns[i].type) != size) continue;
      table->columns[i].values = next;
      next += size * (size_t)table->capacity;
    }
  return true;
}

uint64_t *table_row(struct table *table, uint64_t bytes) {
  if (!table->block && !make_block(table, bytes)) return NULL;
  if (table->shown.rows + table->num_waiting >= table->capacity) return NULL;
  if (table->num_waiting == ROWS_AT_A_TIME) table_settle(table);
  return table->waiting + (size_t)table->num_waiting++ * (size_t)table->words;
}

void table_settle(struct table *table) {
  const size_t words = (size_t)table->words, rows = (size_t)table->num_waiting;
  const uint64_t *word = table->waiting;
  for (int i = 0; i < table->shown.num_columns; i++) {
    enum darshan_column_type type = (enum darshan_column_type)table->columns[i].type;
    size_t size = size_of(type);
    unsigned char *to = table->block +
                        ((const unsigned char *)table->columns[i].values - table->block) +
                        size * (size_t)table->shown.rows;
    if (size == 8) {
      uint64_t *values = (uint64_t *)(void *)to;
      for (size_t row = 0; row < rows; row++)
        values[row] = word[row * words];
    } else if (size == 4) {
      int32_t *values = (int32_t *)(void *)to;
      for (size_t row = 0; row < rows; row++)
        values[row] = (int32_t)word[row * words];
    } else {
      for (size_t row = 0; row < rows; row++)
        memcpy(to + row * size, word + row * words, size);
    }
    word += size == 16 ? 2 : 1;
  }
  table->shown.rows += (int64_t)rows;
  if (table->most < table->shown.rows) table->most = table->shown.rows;
  table->num_waiting = 0;
}

uint64_t table_touched(const struct table *table) {
  return table->block ? (uint64_t)table->most * table->row_bytes : 0;
}

void table_empty(struct table *table) {
  table->num_waiting = 0;
  table->shown.rows = 0;
}

void table_drop(struct table *table) {
  free(table->block);
  free(table->waiting);
  table->block = NULL;
  table->waiting = NULL;
  table->most = 0;
  table_empty(table);
}

void table_free(struct table *table) {
  table_drop(table);
  free(table->columns);
}
