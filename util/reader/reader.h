/* What the files of the reader share; nothing here is visible outside it. */
#ifndef DARSHAN_READER_H
#define DARSHAN_READER_H

#include "darshan-read.h"

#include <bzlib.h>
#include <stdbool.h>
#include <zlib.h>

/* file.c: fills the error and returns -1. */
int darshan_fail(struct darshan_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A regular file, read by offset. */
struct darshan_file {
  int fd;
  uint64_t size; /* when it was opened; a journal may grow later */
};
int darshan_file_open(struct darshan_file *file, const char *path, struct darshan_error *error);
/* Reads up to n bytes; fewer only at the end of the file; -1 on error. */
long darshan_file_read(const struct darshan_file *file, void *buffer, size_t n, uint64_t offset);

/* stream.c: the content of a region, decompressed step by step. */
struct darshan_stream {
  const struct darshan_file *file;
  uint64_t next, left; /* place in the file, stored bytes not yet read */
  int compression;
  bool ready;  /* the decompressor is set up */
  bool inside; /* in the middle of a compressed stream */
  z_stream zlib;
  bz_stream bzip2;
  unsigned char *input, *in;
  size_t in_left;
  /* whole.c: a short stream, decompressed at once */
  struct libdeflate_decompressor *deflate;
  unsigned char *whole, *whole_next;
  size_t whole_left;
  bool by_steps;                /* one could not be: not tried again */
  struct darshan_error failure; /* sticky; what was delivered before is good */
};
/* The region may reach past the end of the file: what is there is read. */
int darshan_stream_open(struct darshan_stream *stream, const struct darshan_file *file,
                        struct darshan_region region, int compression, struct darshan_error *error);
/* Delivers n bytes; fewer at the end of the region or before a failure. */
size_t darshan_stream_read(struct darshan_stream *stream, void *buffer, size_t n);
void darshan_stream_close(struct darshan_stream *stream);

/* whole.c: between two streams, all stored bytes being in memory, takes the next one at once:
 * *put bytes at place, or, where the room is too small, whole_left bytes at whole_next.  false: it
 * is too long, or damaged, and zlib shall say how; what is at place has no sense then. */
bool darshan_whole_take(struct darshan_stream *stream, void *place, size_t room, size_t *put);
void darshan_whole_free(struct darshan_stream *stream);

/* header.c: brings the header of any format into the newest layout. */
struct darshan_frame {
  int format;           /* 341 for 3.41 */
  bool swapped;         /* opposite byte order */
  uint64_t header_size; /* in the file; the job region follows */
  char version[9];
  struct darshan_header header; /* host order, today's module ids */
};
int darshan_header_read(struct darshan_frame *frame, const struct darshan_file *file,
                        struct darshan_error *error);

/* job.c: the job record and the texts behind it. */
struct darshan_job_region {
  uint64_t length;
  struct darshan_job job;
  double run_time;
  char metadata_text[DARSHAN_JOB_METADATA_LEN + 1];
  char *text, *tokens; /* command line; the mount table cut into strings */
  struct darshan_metadata *metadata;
  int num_metadata;
  struct darshan_mount *mounts;
  size_t *mount_lengths;
  int num_mounts;
};
int darshan_job_read(struct darshan_job_region *job, const struct darshan_file *file,
                     const struct darshan_frame *frame, struct darshan_error *error);
/* How long a job ran, as a log of this format says it; negative: it has no end yet. */
double darshan_run_time(const struct darshan_frame *frame, const struct darshan_job *job);
void darshan_job_free(struct darshan_job_region *job);

/* mounts.c: cuts the mount table that follows the command line (text is
 * changed) and sorts it; resolves names. */
int darshan_mounts_parse(struct darshan_job_region *job, struct darshan_error *error);
int darshan_mounts_find(const struct darshan_job_region *job, const char *name);

/* names.c: record id -> name. */
struct darshan_names {
  char *text; /* entries: 8 bytes of id, name, NUL */
  size_t used, capacity;
  uint32_t *slots; /* 1 + place of an entry in text; 0: free */
  uint64_t seed;   /* of the hash */
  size_t num_slots, count;
};
int darshan_names_read(struct darshan_names *names, const struct darshan_file *file,
                       const struct darshan_frame *frame, struct darshan_error *error);
const char *darshan_names_find(const struct darshan_names *names, uint64_t id);
void darshan_names_each(const struct darshan_names *names,
                        void (*each)(uint64_t id, const char *name, void *context), void *context);
void darshan_names_free(struct darshan_names *names);

/* annex.c: the blocks behind the last region. */
enum { DARSHAN_ANNEX_BLOCKS_MAX = 64, DARSHAN_ANNEX_FIRST_ID = DARSHAN_MAX_MODULES };
struct darshan_annex_entry {
  struct darshan_annex_block block; /* host order */
  uint64_t offset;                  /* of its bytes */
};
struct darshan_annex {
  int num_blocks;
  struct darshan_annex_entry blocks[DARSHAN_ANNEX_BLOCKS_MAX]; /* by module id */
  struct darshan_error problem;                                /* a damaged annex has no blocks */
};
void darshan_annex_read(struct darshan_annex *annex, const struct darshan_file *file, bool swapped);

/* groups.c: the distinct files of a GROUP record, at most GROUP_SEEN. */
int64_t darshan_group_files(const int64_t counters[]);

/* layout.c: how a record of fixed size of some version becomes the newest. */
enum { DARSHAN_WORDS_MAX = 320 }; /* 64-bit words of the longest fixed record */
struct darshan_layout {
  size_t words;                        /* of the record in the file */
  size_t bytes_at, num_bytes;          /* words that hold plain bytes, never swapped */
  bool newest;                         /* nothing to convert */
  int16_t target[DARSHAN_WORDS_MAX];   /* place of each word in the newest record, -1: none */
  uint64_t initial[DARSHAN_WORDS_MAX]; /* the newest record before the words are moved */
  int skip_if_positive;                /* word; such a record is left out; -1: none */
  int addend;                          /* word added to a moved one; -1: none */
  int addend_target;
};
/* Fails if the module has no such version or no fixed layout. */
int darshan_layout_make(struct darshan_layout *layout, const struct darshan_module *module,
                        int version, struct darshan_error *error);
/* out has room for the newest record. */
void darshan_layout_convert(const struct darshan_layout *layout, const uint64_t *record,
                            uint64_t *out, size_t out_words);

/* records.c, and per kind of record: variable.c, dxt.c. */
struct darshan_records {
  struct darshan_log *log;
  const struct darshan_module *module;
  int version;
  bool swapped;
  struct darshan_stream stream;
  struct darshan_layout layout; /* fixed size */
  unsigned char *buffer;        /* raw bytes of the region: begin..end are unread */
  size_t capacity, begin, end;
  uint64_t *out; /* a converted record */
  size_t out_words;
  double first_width; /* HEATMAP: of the first record of the log */
  int64_t first_bins;
  bool failed;
};
enum darshan_taken { DARSHAN_TAKEN_ERROR = -1, DARSHAN_TAKEN_END = 0, DARSHAN_TAKEN_RECORD = 1 };
/* Makes n raw bytes available at records->buffer + begin. */
enum darshan_taken darshan_records_need(struct darshan_records *records, uint64_t n,
                                        struct darshan_error *error);
/* Room for a converted record; NULL and an error if there is no memory. */
uint64_t *darshan_records_room(struct darshan_records *records, size_t words,
                               struct darshan_error *error);
enum darshan_taken darshan_next_lustre(struct darshan_records *records, const void **record,
                                       size_t *size, struct darshan_error *error);
enum darshan_taken darshan_next_heatmap(struct darshan_records *records, const void **record,
                                        size_t *size, struct darshan_error *error);
enum darshan_taken darshan_next_mdhim(struct darshan_records *records, const void **record,
                                      size_t *size, struct darshan_error *error);
enum darshan_taken darshan_next_apmpi(struct darshan_records *records, const void **record,
                                      size_t *size, struct darshan_error *error);
enum darshan_taken darshan_next_dxt(struct darshan_records *records, const void **record,
                                    size_t *size, struct darshan_error *error);

struct darshan_log {
  struct darshan_file file;
  struct darshan_frame frame;
  struct darshan_job_region job;
  struct darshan_names names;
  struct darshan_annex annex;
  struct darshan_info info;
  struct darshan_module_region regions[DARSHAN_MAX_MODULES + DARSHAN_ANNEX_BLOCKS_MAX];
};

#endif
