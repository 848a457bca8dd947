/* Makes the DXT part of a log from packed segments. Unpacks them in pieces, each of which becomes
 * one zlib stream, so that a long trace needs little further memory. */
#include "dxt.h"

#include <string.h>
#include <sys/utsname.h>

#include "../../door/door.h"
#include "../../intercept/sys/sys.h"
#include "base-record.h"
#include "pack.h"
#include "records.h"

enum { PIECE = 256 << 10 };

/* The record versions that releases up to 3.5.0 and their readers know. In the next version each
 * segment ends with its thread; it is written only if threads are recorded. */
static const struct {
  int module_id;
  uint32_t version;
  enum store_module counters;
} parts[DXT_MODULES] = {
    [DXT_POSIX] = {DARSHAN_MOD_DXT_POSIX, 1, STORE_POSIX},
    [DXT_MPIIO] = {DARSHAN_MOD_DXT_MPIIO, 2, STORE_MPIIO},
};

static size_t segment_size(void) {
  return trace_threads_are_written() ? sizeof(struct darshan_dxt_segment)
                                     : offsetof(struct darshan_dxt_segment, pthread_id);
}

/* Data are collected in `piece`, and each full piece is compressed into `out`. */
struct writer {
  char *piece, *out;               /* piece: PIECE bytes */
  size_t used, out_used, out_room; /* in bytes: of piece; of out, and its size */
  int failed;                      /* 1: out was too small */
};

static void flush_piece(struct writer *writer) {
  if (writer->used == 0 || writer->failed) return;
  size_t length = log_compress_part(writer->piece, writer->used, writer->out + writer->out_used,
                                    writer->out_room - writer->out_used);
  writer->failed = length == 0;
  writer->out_used += length;
  writer->used = 0;
}

/* Returns the address where the next n bytes (at most PIECE) are to be written; the piece is
 * compressed first if it has no space for them. */
static void *room_for(struct writer *writer, size_t n) {
  if (writer->used + n > PIECE) flush_piece(writer);
  void *at = writer->piece + writer->used;
  writer->used += n;
  return at;
}

/* Writes all reads (writes is 0) or all writes (1) of a trace, in the order in which they were
 * recorded. */
static void put_segments(struct writer *writer, const struct dxt_trace *trace, int writes) {
  struct dxt_previous previous = {.start = 0};
  struct dxt_packed segment = {0};
  size_t size = segment_size();
  if (trace->count[writes] == 0) return;
  for (const struct dxt_chunk *chunk = trace->first; chunk; chunk = chunk->next) {
    const unsigned char *end = chunk == trace->last ? trace->next : chunk->bytes + chunk->used;
    for (const unsigned char *at = chunk->bytes; at < end;) {
      at = dxt_unpack(at, &previous, &segment);
      if (dxt_state.threads) at = dxt_unpack_thread(at, &previous, &segment);
      if (segment.writes != writes) continue;
      struct darshan_dxt_segment out = {.offset = segment.offset,
                                        .length = segment.length,
                                        .start_time = (double)segment.start / DXT_UNITS_PER_SECOND,
                                        .end_time = (double)(segment.start + segment.duration) /
                                                    DXT_UNITS_PER_SECOND,
                                        .pthread_id = segment.thread};
      memcpy(room_for(writer, size), &out, size);
    }
  }
}

static const struct dxt_trace *dxt_trace_of(enum dxt_module module, uint32_t number) {
  return segments_at(&dxt_state.recorders[module].traces, number);
}

static void put_trace(struct writer *writer, enum dxt_module module, uint32_t number,
                      const char *host) {
  const struct dxt_trace *trace = dxt_trace_of(module, number);
  struct darshan_dxt_head head = {.write_count = (int64_t)trace->count[1],
                                  .read_count = (int64_t)trace->count[0]};
  const struct darshan_base_record *base =
      store_record(&darshan_store, parts[module].counters, number);
  head.base = *base;
  for (size_t i = 0; i < sizeof(head.hostname) - 1 && host[i]; i++)
    head.hostname[i] = host[i];
  memcpy(room_for(writer, sizeof(head)), &head, sizeof(head));
  put_segments(writer, trace, 1);
  put_segments(writer, trace, 0);
}

/* --- which traces are written, by the counters of their files -------------------------- */

enum { BINS = 10, SMALL_BINS = 3 /* up to 10 KiB */ };
static_assert(POSIX_SIZE_READ_1K_10K == POSIX_SIZE_READ_0_100 + SMALL_BINS - 1, "bins");
static_assert(POSIX_SIZE_WRITE_0_100 == POSIX_SIZE_READ_0_100 + BINS, "bins");
static_assert(MPIIO_SIZE_READ_AGG_1K_10K == MPIIO_SIZE_READ_AGG_0_100 + SMALL_BINS - 1, "bins");
static_assert(MPIIO_SIZE_WRITE_AGG_0_100 == MPIIO_SIZE_READ_AGG_0_100 + BINS, "bins");

/* Returns the fraction (0 to 1) of transfers that are small, up to 10 KiB; 0 if there are no
 * transfers. bins: the size counters of the record, first those of reads, then those of writes. */
static double small_part(const int64_t *bins) {
  int64_t small = 0, all = 0;
  for (int i = 0; i < 2 * BINS; i++) {
    all += bins[i];
    if (i % BINS < SMALL_BINS) small += bins[i];
  }
  return all > 0 ? (double)small / (double)all : 0;
}

static double unaligned_part(const struct darshan_posix_record *record) {
  const int64_t *counters = record->counters;
  int64_t all = counters[POSIX_READS] + counters[POSIX_WRITES];
  return all > 0 ? (double)counters[POSIX_FILE_NOT_ALIGNED] / (double)all : 0;
}

/* Returns the POSIX record of the file with this record id, or NULL if it has none. */
static const struct darshan_posix_record *posix_record(uint64_t id) {
  const struct store_entry *entry = store_find(&darshan_store, id);
  uint32_t number = entry ? entry->record[STORE_POSIX] : 0;
  return number ? store_record(&darshan_store, STORE_POSIX, number) : NULL;
}

/* Returns 1 if the file of this counter record meets those conditions of DXT_SMALL_IO_TRIGGER and
 * DXT_UNALIGNED_IO_TRIGGER that are set, so that its trace is written; otherwise 0. */
static int triggered(enum dxt_module module, uint32_t number) {
  double small_io, unaligned_io;
  const struct darshan_posix_record *posix = NULL;
  const int64_t *bins;
  if (module == DXT_POSIX) {
    posix = store_record(&darshan_store, STORE_POSIX, number);
    bins = &posix->counters[POSIX_SIZE_READ_0_100];
  } else {
    const struct darshan_mpiio_record *record = store_record(&darshan_store, STORE_MPIIO, number);
    bins = &record->counters[MPIIO_SIZE_READ_AGG_0_100];
    posix = posix_record(record->base.id); /* only POSIX counts alignment */
  }
  trace_triggers(&small_io, &unaligned_io);
  if (small_io >= 0 && small_part(bins) < small_io) return 0;
  if (unaligned_io < 0) return 1;
  return (posix ? unaligned_part(posix) : 0) >= unaligned_io;
}

static int is_kept(enum dxt_module module, uint32_t number) {
  const struct dxt_trace *trace = dxt_trace_of(module, number);
  return trace->count[0] + trace->count[1] > 0 && triggered(module, number);
}

/* Returns the bytes, before compression, of all traces of the module that are written. records:
 * number of its counter records. */
static size_t raw_size(enum dxt_module module, uint32_t records) {
  size_t size = 0;
  for (uint32_t i = 1; i <= records; i++) {
    const struct dxt_trace *trace = dxt_trace_of(module, i);
    if (is_kept(module, i))
      size +=
          sizeof(struct darshan_dxt_head) + (trace->count[0] + trace->count[1]) * segment_size();
  }
  return size;
}

static void add_part(struct log_content *content, enum dxt_module module, const char *host) {
  uint32_t records = store_fill(&darshan_store, parts[module].counters).count;
  size_t size = raw_size(module, records);
  if (size == 0) return;
  struct writer writer = {.out_room = log_compress_bound(size) +
                                      (size / (PIECE / 2) + 1) * log_compress_bound(0)};
  writer.piece = runtime_module_memory(PIECE);
  writer.out = runtime_module_memory(writer.out_room);
  if (!writer.piece || !writer.out) return;
  for (uint32_t i = 1; i <= records && !writer.failed; i++)
    if (is_kept(module, i)) put_trace(&writer, module, i, host);
  flush_piece(&writer);
  if (writer.failed)
    runtime_lost_part();
  else
    log_add_part(content, parts[module].module_id,
                 parts[module].version + (uint32_t)trace_threads_are_written(), writer.out,
                 writer.out_used, (int)dxt_state.recorders[module].dropped, 1);
}

void dxt_add_parts(struct log_content *content) {
  char node[sizeof(((struct utsname *)0)->nodename)];
  if (!dxt_on(DXT_POSIX) && !dxt_on(DXT_MPIIO)) return;
  sys_nodename(node, sizeof(node));
  for (int i = 0; i < DXT_MODULES; i++)
    if (dxt_on((enum dxt_module)i)) add_part(content, (enum dxt_module)i, node);
}
