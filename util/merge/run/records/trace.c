/* Combines the traces (DXT) of a rank: the segments of all its programs, per file
 * (combined-module.h). */
#include "combined-module.h"

#include <math.h>

#include "log-format.h"

static int some_have_threads; /* 1: a log of this process has thread ids; set by traces_note */

static int has_threads(const struct combined_module *module) {
  return some_have_threads || module->with_threads;
}

/* Returns the size of a segment in bytes. A segment ends with its thread only in the newer version
 * of the log's DXT region. */
static size_t segment_size(const struct combined_module *module) {
  return has_threads(module) ? sizeof(struct darshan_dxt_segment)
                             : offsetof(struct darshan_dxt_segment, pthread_id);
}

/* The trace of one file. */
struct combined_trace {
  struct darshan_dxt_head head; /* of the first part; the counts are set at the end */
  struct bytes segments[2];     /* writes, reads */
  int parts;                    /* number of parts with segments of this file */
};

uint32_t trace_version(const struct combined_module *module, int id) {
  return (id == DARSHAN_MOD_DXT_POSIX ? 1 : 2) + (uint32_t)has_threads(module);
}

void traces_note(const darshan_log *log) {
  const struct darshan_info *info = darshan_log_info(log);
  for (int i = 0; i < info->num_modules; i++) {
    const struct darshan_module *module = darshan_module_by_id(info->modules[i].id);
    if (module && module->kind == DARSHAN_KIND_DXT && info->modules[i].version == module->version)
      some_have_threads = 1;
  }
}

size_t trace_size(const struct combined_module *module, const char *record) {
  const struct darshan_dxt_head *head = (const void *)record;
  return sizeof(*head) + (size_t)(head->write_count + head->read_count) * segment_size(module);
}

/* Returns the trace of a file, which is added if it is new; NULL if out of memory. */
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

/* Returns time + shift in seconds, rounded like the times of the runtime's traces. */
static double moved(double time, double shift) {
  const double per_second = 1 << 21;
  double then = time + shift;
  return then < 4e9 && then > -4e9 ? round(then * per_second) / per_second : time;
}

/* Appends n segments with their times moved by `shift` seconds. Sets *with_threads to 1 if one has
 * a thread id. Returns 0, or -1 if out of memory. */
static int add_segments(struct bytes *into, const struct darshan_dxt_segment *from, int64_t n,
                        double shift, int *with_threads) {
  char *more = bytes_more(into, (size_t)n * sizeof(*from));
  if (!more) return -1;
  for (int64_t i = 0; i < n; i++, more += sizeof(*from)) {
    struct darshan_dxt_segment segment = from[i];
    segment.start_time = moved(segment.start_time, shift);
    segment.end_time = moved(segment.end_time, shift);
    *with_threads |= segment.pthread_id != 0;
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
    if (!trace) return -1;
    if (add_segments(&trace->segments[0], segments, head->write_count, shift, &into->with_threads) <
            0 ||
        add_segments(&trace->segments[1], segments + head->write_count, head->read_count, shift,
                     &into->with_threads) < 0)
      return -1;
    trace->parts++;
    at += sizeof(*head) + (size_t)(head->write_count + head->read_count) * sizeof(*segments);
  }
  return 0;
}

static int by_start(const void *a, const void *b) {
  const struct darshan_dxt_segment *left = a, *right = b;
  return left->start_time < right->start_time ? -1 : left->start_time > right->start_time;
}

static int put_segments(struct combined_module *module, const struct bytes *segments) {
  const struct darshan_dxt_segment *segment = (const void *)segments->at;
  size_t n = segments->n / sizeof(*segment), size = segment_size(module);
  char *more = bytes_more(&module->records, n * size);
  if (!more) return -1;
  for (size_t i = 0; i < n; i++, more += size)
    memcpy(more, &segment[i], size);
  return 0;
}

int traces_finish(struct combined_module *module) {
  module->records.n = 0;
  for (size_t i = 0; i < module->num_traces; i++) {
    struct combined_trace *trace = &module->traces[i];
    for (int reads = 0; reads < 2; reads++)
      if (trace->parts > 1 && trace->segments[reads].n)
        qsort(trace->segments[reads].at,
              trace->segments[reads].n / sizeof(struct darshan_dxt_segment),
              sizeof(struct darshan_dxt_segment), by_start);
    trace->head.write_count = (int64_t)(trace->segments[0].n / sizeof(struct darshan_dxt_segment));
    trace->head.read_count = (int64_t)(trace->segments[1].n / sizeof(struct darshan_dxt_segment));
    if (bytes_add(&module->records, &trace->head, sizeof(trace->head)) < 0 ||
        put_segments(module, &trace->segments[0]) < 0 ||
        put_segments(module, &trace->segments[1]) < 0)
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
  module->with_threads = 0;
}
