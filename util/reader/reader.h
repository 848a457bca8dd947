/* Internal declarations of the reader's files, which the library does not export. */
#ifndef DARSHAN_READER_H
#define DARSHAN_READER_H

#include "darshan-read.h"

#include <bzlib.h>
#include <stdbool.h>
#include <zlib.h>

/* Writes the text of an error and returns -1 (file.c). */
int darshan_fail(struct darshan_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A regular file, or a part of one, read by offset. */
struct darshan_file {
  int fd;
  uint64_t size; /* at opening; a journal may grow later */
  uint64_t base; /* of a part: where it begins in the file */
  bool is_part;
};
int darshan_file_open(struct darshan_file *file, const char *path, struct darshan_error *error);
/* Restricts an open file to the log of `length` bytes at `at`. length 0: does nothing. */
void darshan_file_restrict(struct darshan_file *file, uint64_t at, uint64_t length);
/* Reads up to n bytes, fewer only at the end of the file. Returns the count, or -1. */
long darshan_file_read(const struct darshan_file *file, void *buffer, size_t n, uint64_t offset);

/* log.c: reads the log of `length` bytes at offset `at` of an open file. Returns the log like
 * darshan_log_read, or NULL with an error. The caller keeps ownership of fd. */
darshan_log *darshan_log_read_part(int fd, uint64_t at, uint64_t length,
                                   struct darshan_error *error);

/* stream.c: the content of a region, decompressed in steps. */
struct darshan_stream {
  const struct darshan_file *file;
  uint64_t next, left; /* file offset, stored bytes not yet read */
  int compression;
  bool ready;  /* the decompressor is initialized */
  bool inside; /* within a compressed stream */
  z_stream zlib;
  bz_stream bzip2;
  unsigned char *input, *in;
  size_t in_left;
  /* decompress-once.c: a short stream, decompressed in one call */
  struct libdeflate_decompressor *deflate;
  unsigned char *whole, *whole_next;
  size_t whole_left;
  bool by_steps;                /* one stream failed this way: not tried again */
  struct darshan_error failure; /* kept; bytes delivered before it are valid */
};
/* Opens a region for reading. Returns 0, or -1 with an error. The region may end after the end of
 * the file; reading then fails at that end. */
int darshan_stream_open(struct darshan_stream *stream, const struct darshan_file *file,
                        struct darshan_region region, int compression, struct darshan_error *error);
/* Reads n bytes; returns fewer at the end of the region or before a failure. */
size_t darshan_stream_read(struct darshan_stream *stream, void *buffer, size_t n);
void darshan_stream_close(struct darshan_stream *stream);

/* decompress-once.c: decompresses the next stream in one call, if all stored bytes are in memory.
 * Puts *put bytes at place, or, if that buffer is too small, whole_left bytes at whole_next.
 * Returns false if the stream is too long or corrupt; zlib then reads it and reports the error, and
 * the bytes at place are undefined. */
bool darshan_whole_take(struct darshan_stream *stream, void *place, size_t room, size_t *put);
void darshan_whole_free(struct darshan_stream *stream);

/* header.c: converts the header of any format to the newest layout. */
struct darshan_frame {
  int format;           /* 341 means 3.41 */
  bool swapped;         /* opposite byte order */
  uint64_t header_size; /* bytes; the job region follows */
  char version[9];
  struct darshan_header header; /* host byte order, newest module ids */
};
int darshan_header_read(struct darshan_frame *frame, const struct darshan_file *file,
                        struct darshan_error *error);

/* job.c: the job record and the strings after it. */
struct darshan_job_region {
  uint64_t length;
  struct darshan_job job;
  double run_time;
  char metadata_text[DARSHAN_JOB_METADATA_LEN + 1];
  char *text, *tokens; /* command line; mount table split into strings */
  struct darshan_metadata *metadata;
  int num_metadata;
  struct darshan_mount *mounts;
  size_t *mount_lengths;
  int num_mounts;
};
int darshan_job_read(struct darshan_job_region *job, const struct darshan_file *file,
                     const struct darshan_frame *frame, struct darshan_error *error);
/* Returns the run time of a job in seconds, as the log's format defines it; negative without an end
 * time. */
double darshan_run_time(const struct darshan_frame *frame, const struct darshan_job *job);
void darshan_job_free(struct darshan_job_region *job);

/* mounts.c: darshan_mounts_parse splits the mount table after the command line (changes text) and
 * sorts it; it returns 0, or -1 with an error. The other functions find mount points. */
int darshan_mounts_parse(struct darshan_job_region *job, struct darshan_error *error);
int darshan_mounts_find(const struct darshan_job_region *job, const char *name);

/* names.c: record id -> name. */
struct darshan_names {
  char *text; /* entries: 8 bytes of id, name, NUL */
  size_t used, capacity;
  uint32_t *slots; /* 1 + offset of an entry in text; 0: free */
  uint64_t seed;   /* of the hash */
  size_t num_slots, count;
};
int darshan_names_read(struct darshan_names *names, const struct darshan_file *file,
                       const struct darshan_frame *frame, struct darshan_error *error);
const char *darshan_names_find(const struct darshan_names *names, uint64_t id);
void darshan_names_each(const struct darshan_names *names,
                        void (*each)(uint64_t id, const char *name, void *context), void *context);
void darshan_names_free(struct darshan_names *names);

/* annex.c: the blocks after the last region. */
enum { DARSHAN_ANNEX_BLOCKS_MAX = 64, DARSHAN_ANNEX_FIRST_ID = DARSHAN_MAX_MODULES };
struct darshan_annex_entry {
  struct darshan_annex_block block; /* host byte order */
  uint64_t offset;                  /* file offset of its data */
};
struct darshan_annex {
  int num_blocks;
  struct darshan_annex_entry blocks[DARSHAN_ANNEX_BLOCKS_MAX]; /* sorted by module id */
  struct darshan_error problem;                                /* a corrupt annex has no blocks */
};
/* Reads the failed lookups of a journal; count is 0 if there are none. */
void darshan_lookups_read(struct darshan_lookups *lookups, const struct darshan_file *file,
                          bool swapped);
void darshan_annex_read(struct darshan_annex *annex, const struct darshan_file *file, bool swapped);

/* groups.c: returns the number of distinct files of a GROUP record, at most GROUP_SEEN. */
int64_t darshan_group_files(const int64_t counters[]);

/* layout.c: converts a record of fixed size from an older version to the newest one. */
enum { DARSHAN_WORDS_MAX = 320 }; /* 64-bit words of the longest record of fixed size */
struct darshan_layout {
  size_t words;                        /* of the record in the file */
  size_t bytes_at, num_bytes;          /* words that hold bytes and are never swapped */
  bool newest;                         /* no conversion needed */
  int16_t target[DARSHAN_WORDS_MAX];   /* index of each word in the newest record; -1: none */
  uint64_t initial[DARSHAN_WORDS_MAX]; /* initial values of the newest record */
  int skip_if_positive; /* index of a word; -1: none. Records with a positive word are skipped */
  int addend;           /* index of a word that is added to addend_target; -1: none */
  int addend_target;
};
/* Returns 0, or -1 with an error if the module has no such version or no fixed layout. */
int darshan_layout_make(struct darshan_layout *layout, const struct darshan_module *module,
                        int version, struct darshan_error *error);
/* out holds a record of the newest version. */
void darshan_layout_convert(const struct darshan_layout *layout, const uint64_t *record,
                            uint64_t *out, size_t out_words);

/* records.c, and for single kinds of records variable.c and dxt.c. */
struct darshan_records {
  struct darshan_log *log;
  const struct darshan_module *module;
  int version;
  bool swapped;
  struct darshan_stream stream;
  struct darshan_layout layout; /* for records of fixed size */
  unsigned char *buffer;        /* raw bytes of the region; begin..end are unread */
  size_t capacity, begin, end;
  uint64_t *out; /* a converted record */
  size_t out_words;
  double first_width; /* HEATMAP: of the log's first record */
  int64_t first_bins;
  bool failed;
};
enum darshan_taken { DARSHAN_TAKEN_ERROR = -1, DARSHAN_TAKEN_END = 0, DARSHAN_TAKEN_RECORD = 1 };
/* Makes n raw bytes available at records->buffer + begin. Returns whether they are there, the
 * region ends before them, or reading failed with an error. */
enum darshan_taken darshan_records_need(struct darshan_records *records, uint64_t n,
                                        struct darshan_error *error);
/* Returns the buffer of records for a converted record of this many 64-bit words. It belongs to
 * records; the next call may move it, and the next record overwrites it. Returns NULL with an error
 * if out of memory. */
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
