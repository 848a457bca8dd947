/* See trace.h. */
#include "trace.h"

#include <math.h>

#include "log-format.h"

/* What a segment is in these versions: without the thread. */
struct segment {
  int64_t offset, length;
  double start, end;
};
static_assert(sizeof(struct segment) == offsetof(struct darshan_dxt_segment, pthread_id), "format");

struct combined_trace {
  struct darshan_dxt_head head;
  struct bytes segments[2]; /* writes, reads */
  int parts;                /* that they came from */
};

uint32_t trace_version(int module) {
  return module == DARSHAN_MOD_DXT_POSIX ? 1 : 2;
}

size_t trace_size(const char *record) {
  const struct darshan_dxt_head *head = (const void *)record;
  return sizeof(*head) + (size_t)(head->write_count + head->read_count) * sizeof(struct segment);
}

static struct combined_trace *trace_of(struct combined_module *into,
                                       const struct darshan_dxt_head *head) {
  int64_t *place = map_at(&into->by_id, head->base.id);
  if (!place) return NULL;
  if (*place >= 0) return &into->traces[*place];
  struct combined_trace *trace =
      list_more((void **)&into->traces, into->num_traces, &into->room_traces, sizeof(*trace));
  if (!trace) return NULL;
  *trace = (struct combined_trace){.head = *head};
  *place = (int64_t)into->num_traces++;
  return trace;
}

/* As fine as the runtime writes them. */
static double moved(double time, double shift) {
  const double per_second = 1 << 21;
  double then = time + shift;
  return then < 4e9 && then > -4e9 ? round(then * per_second) / per_second : time;
}

static int add_segments(struct bytes *into, const struct darshan_dxt_segment *from, int64_t n,
                        double shift) {
  char *more = bytes_more(into, (size_t)n * sizeof(struct segment));
  if (!more) return -1;
  for (int64_t i = 0; i < n; i++, more += sizeof(struct segment)) {
    struct segment segment = {from[i].offset, from[i].length, moved(from[i].start_time, shift),
                              moved(from[i].end_time, shift)};
    memcpy(more, &segment, sizeof(segment));
  }
  return 0;
}

int traces_add(struct combined_module *into, const struct part_module *from, const char *records,
               double shift) {
  for (size_t at = 0; at < from->length;) {
    const struct darshan_dxt_head *head = (const void *)(records + at);
    const struct darshan_dxt_segment *segments = (const void *)(head + 1);
    struct combined_trace *trace = trace_of(into, head);
    if (!trace || add_segments(&trace->segments[0], segments, head->write_count, shift) < 0 ||
        add_segments(&trace->segments[1], segments + head->write_count, head->read_count, shift) <
            0)
      return -1;
    trace->parts++;
    at += sizeof(*head) + (size_t)(head->write_count + head->read_count) * sizeof(*segments);
  }
  return 0;
}

static int by_start(const void *a, const void *b) {
  const struct segment *left = a, *right = b;
  return left->start < right->start ? -1 : left->start > right->start;
}

int traces_finish(struct combined_module *module) {
  module->records.n = 0;
  for (size_t i = 0; i < module->num_traces; i++) {
    struct combined_trace *trace = &module->traces[i];
    for (int reads = 0; reads < 2; reads++)
      if (trace->parts > 1 && trace->segments[reads].n)
        qsort(trace->segments[reads].at, trace->segments[reads].n / sizeof(struct segment),
              sizeof(struct segment), by_start);
    trace->head.write_count = (int64_t)(trace->segments[0].n / sizeof(struct segment));
    trace->head.read_count = (int64_t)(trace->segments[1].n / sizeof(struct segment));
    if (bytes_add(&module->records, &trace->head, sizeof(trace->head)) < 0 ||
        bytes_add(&module->records, trace->segments[0].at, trace->segments[0].n) < 0 ||
        bytes_add(&module->records, trace->segments[1].at, trace->segments[1].n) < 0)
      return -1;
  }
  return 0;
}

void traces_clear(struct combined_module *module) {
  for (size_t i = 0; i < module->num_traces; i++) {
    bytes_free(&module->traces[i].segments[0]);
    bytes_free(&module->traces[i].segments[1]);
  }
  module->num_traces = 0;
}
