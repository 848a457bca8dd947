/* Makes the rows of a record in memory (record-rows.h). */
#include "record-rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Appends output to the text of the record_rows at `context`. Returns 0, or ENOMEM. */
static int take(void *context, const char *bytes, size_t n) {
  struct record_rows *rows = context;
  if (n == 0) return 0; /* there may be no text yet */
  if (n > rows->room - rows->used) {
    size_t room = 2 * (rows->used + n);
    char *text = realloc(rows->text, room);
    if (!text) return ENOMEM;
    rows->text = text;
    rows->room = room;
  }
  memcpy(rows->text + rows->used, bytes, n);
  rows->used += n;
  return 0;
}

int record_rows_open(struct record_rows *rows, const darshan_log *log) {
  memset(rows, 0, sizeof(*rows));
  if (output_open(&rows->out, -1) != 0) return -1;
  rows->out.take = take;
  rows->out.context = rows;
  if (rows_open(&rows->rows, &rows->out, log) != 0) return -1;
  rows->rows.apmpi_sync =
      true; /* the head that has this fact is not the first of the sorted records */
  return 0;
}

void record_rows_module(struct record_rows *rows, const struct darshan_module *module) {
  rows_module(&rows->rows, module);
}

void record_rows_close(struct record_rows *rows) {
  rows_close(&rows->rows);
  rows->used = 0;
  if (rows->out.buffer) output_close(&rows->out);
  free(rows->text);
  free(rows->list);
}

/* Makes four rows for each of `count` segments: offset and length in bytes, start and end in
 * seconds. kind: "WRITE" or "READ". */
static void put_segments(struct rows *rows, const char *kind,
                         const struct darshan_dxt_segment *segments, int64_t count) {
  char counter[64];
  for (int64_t i = 0; i < count; i++) {
    const struct darshan_dxt_segment *segment = &segments[i];
    int n = snprintf(counter, sizeof(counter), "%s_%s_%" PRId64, rows->module->name, kind, i);
    char *end = counter + n;
    strcpy(end, "_OFFSET");
    rows_signed(rows, counter, segment->offset);
    strcpy(end, "_LENGTH");
    rows_signed(rows, counter, segment->length);
    strcpy(end, "_F_START");
    rows_double(rows, counter, segment->start_time);
    strcpy(end, "_F_END");
    rows_double(rows, counter, segment->end_time);
  }
}

/* Makes rows of a trace, which darshan-parser does not print. Returns 0, or -1 if out of memory. */
static int put_trace(struct rows *rows, const struct darshan_dxt_head *head) {
  const struct darshan_dxt_segment *segments = (const void *)(head + 1);
  char counter[64], host[sizeof(head->hostname) + 1];
  if (rows_begin_file(rows, &head->base) != 0) return -1;
  snprintf(counter, sizeof(counter), "%s_HOSTNAME", rows->module->name);
  snprintf(host, sizeof(host), "%.*s", (int)sizeof(head->hostname), head->hostname);
  rows_text(rows, counter, host);
  put_segments(rows, "WRITE", segments, head->write_count);
  put_segments(rows, "READ", segments + head->write_count, head->read_count);
  rows_end(rows);
  return 0;
}

/* Stores pointers to the counter and the value of a printed line, which are columns 4 and 5. They
 * are NULL in a line that has fewer columns. Columns before the file's name contain no tab. */
static void cut(struct record_row *row, const char *line, size_t length) {
  const char *end = line + length, *at = line;
  *row = (struct record_row){.line = line, .length = length};
  for (int i = 0; i < 5 && at < end; i++) {
    const char *tab = memchr(at, '\t', (size_t)(end - at));
    size_t n = (size_t)((tab ? tab : end) - at);
    if (i == 3) {
      row->counter = at;
      row->counter_length = n;
    } else if (i == 4) {
      row->value = at;
      row->value_length = n;
    }
    at += n + 1;
  }
}

/* Makes the list of the lines in the text. Returns 0, or -1 if out of memory. */
static int cut_all(struct record_rows *rows) {
  const char *at = rows->text, *end = rows->text + rows->used;
  for (rows->count = 0; at < end; rows->count++) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    if (!newline) break;
    if (rows->count == rows->list_room) {
      size_t room = rows->list_room ? 2 * rows->list_room : 256;
      struct record_row *list = realloc(rows->list, room * sizeof(*list));
      if (!list) return -1;
      rows->list = list;
      rows->list_room = room;
    }
    cut(&rows->list[rows->count], at, (size_t)(newline - at));
    at = newline + 1;
  }
  return 0;
}

int record_rows_make(struct record_rows *rows, const void *record) {
  bool trace = rows->rows.module->kind == DARSHAN_KIND_DXT;
  rows->used = 0;
  int result = trace ? put_trace(&rows->rows, record) : rows_record(&rows->rows, record);
  output_flush(&rows->out);
  return result != 0 || rows->out.error ? -1 : cut_all(rows);
}
