/* Prints segment rows; see segments.h. Other programs rely on the column widths. */
#include "segments.h"

#include "numbers.h"

#include <string.h>

enum { ROW_MAX = 1024 }; /* label, kind and seven numbers, two of them of any length */

void segments_columns(struct output *out, bool with_osts) {
  output_text(out, "# Module    Rank  Wt/Rd  Segment          Offset          Length    Start(s)"
                   "      End(s)");
  output_text(out, with_osts ? "   [OST]   Pthread-ID\n" : "   Pthread-ID\n");
}

static void print_osts(struct output *out, const struct stripe_layout *layout,
                       const struct darshan_dxt_segment *segment) {
  struct stripe_walk walk;
  int64_t ost;
  stripes_begin(&walk, layout, segment->offset, segment->length);
  while (stripes_next(&walk, &ost)) {
    char *p = output_room(out, NUMBER_MAX);
    *p++ = ' ';
    *p++ = '[';
    p = number_signed(p, ost);
    *p++ = ']';
    out->next = p;
  }
  output_text(out, "  ");
}

/* Writes the thread id as " %4lu", or " N/A" if the log has no thread ids. Returns the end. */
static char *thread_column(char *p, const struct segment_rows *rows, uint64_t thread) {
  if (!rows->with_threads) {
    memcpy(p, " N/A\n", 5);
    return p + 5;
  }
  *p++ = ' ';
  if (thread < 1000)
    p = number_column(p, 4, (int64_t)thread);
  else
    p = number_unsigned(p, thread);
  *p++ = '\n';
  return p;
}

void segments_print(struct output *out, const struct segment_rows *rows, const char *kind,
                    const struct darshan_dxt_segment *segments, int64_t n) {
  char prefix[64];
  memcpy(prefix, rows->label, 8);
  char *end = number_column(prefix + 8, 8, rows->rank);
  memcpy(end, kind, 7);
  size_t prefix_length = (size_t)(end + 7 - prefix);
  bool with_osts = rows->layout && rows->layout->num_components > 0;
  for (int64_t i = 0; i < n && !out->error; i++) {
    const struct darshan_dxt_segment *segment = &segments[i];
    char *p = output_room(out, ROW_MAX);
    memcpy(p, prefix, sizeof(prefix)); /* copies of a fixed size are faster */
    p = number_column(p + prefix_length, 9, i);
    p = number_column(p, 16, segment->offset);
    p = number_column(p, 16, segment->length);
    p = number_fixed4_column(p, 12, segment->start_time);
    p = number_fixed4_column(p, 12, segment->end_time);
    *p++ = ' ';
    *p++ = ' ';
    if (with_osts) {
      out->next = p;
      print_osts(out, rows->layout, segment);
      p = output_room(out, NUMBER_MAX);
    }
    out->next = thread_column(p, rows, segment->pthread_id);
  }
}
