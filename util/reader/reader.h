/* Declares the internal functions and types of the reader's files; the library does not export
 * them. */
#ifndef DARSHAN_READER_H
#define DARSHAN_READER_H

#include "darshan-read.h"

#include <bzlib.h>
#include <stdbool.h>
#include <zlib.h>

/* Formats the text of an error like printf, cut to the size of error->text, and returns -1
 * (file.c). error NULL: writes nothing. */
int darshan_fail(struct darshan_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A regular file, or a part of one, read by offset. */
struct darshan_file {
  int fd;        /* -1: not open */
  uint64_t size; /* bytes of the file or part when it was opened; a journal may grow later */
  uint64_t base; /* offset in the file at which a part begins */
  bool is_part;  /* true: the log is only a range of the file */
};
/* Opens a regular file that is not empty. Returns 0, or -1 with an error. In both cases the caller
 * closes file->fd if it is not negative. */
int darshan_file_open(struct darshan_file *file, const char *path, struct darshan_error *error);
/* Restricts an open file to the log of `length` bytes at offset `at`. length 0: changes nothing. */
void darshan_file_restrict(struct darshan_file *file, uint64_t at, uint64_t length);
/* Reads up to n bytes at `offset`, for a part from its begin; fewer only at the end of the file or
 * part. Returns the number of bytes, or -1 with errno. */
long darshan_file_read(const struct darshan_file *file, void *buffer, size_t n, uint64_t offset);

/* Reads the log of `length` bytes at offset `at` of an open file (log.c). Returns the log as
 * darshan_log_read does, or NULL with an error. The caller keeps ownership of fd. */
darshan_log *darshan_log_read_part(int fd, uint64_t at, uint64_t length,
                                   struct darshan_error *error);

/* The content of a region, decompressed in steps (stream.c). */
struct darshan_stream {
  const struct darshan_file *file;
  uint64_t next, left; /* next file offset to read; number of stored bytes not yet read */
  int compression;     /* enum darshan_compression */
  bool ready;          /* the decompressor is initialized */
  bool inside;         /* true: the position is within a compressed stream */
  z_stream zlib;
  bz_stream bzip2;
  unsigned char *input, *in; /* buffer of stored bytes; its next byte to decompress */
  size_t in_left;            /* number of bytes from `in` on */
  /* State of a short stream that is decompressed in one call (decompress-once.c). */
  struct libdeflate_decompressor *deflate;
  unsigned char *whole, *whole_next; /* decompressed bytes; the next one to return */
  size_t whole_left;                 /* number of bytes from whole_next on */
  bool by_steps; /* true: decompression in one call failed, so it is not tried again */
  struct darshan_error failure; /* first error; the bytes before it are valid */
};
/* Opens a region for reading. Returns 0, or -1 with an error if the region begins after the end of
 * the file or memory is exhausted. The region may extend beyond the end of the file; reading then
 * fails at the end of the file. */
int darshan_stream_open(struct darshan_stream *stream, const struct darshan_file *file,
                        struct darshan_region region, int compression, struct darshan_error *error);
/* Reads n decompressed bytes. Returns the number of bytes read: fewer than n at the end of the
 * region or before a failure. After a failure, stream->failure has a text. */
size_t darshan_stream_read(struct darshan_stream *stream, void *buffer, size_t n);
/* Frees the memory of a stream; also called if darshan_stream_open failed. Does not close the
 * file. */
void darshan_stream_close(struct darshan_stream *stream);

/* Decompresses the next zlib stream of the region in one call (decompress-once.c). Writes its *put
 * bytes at `place`. If that buffer of `room` bytes is too small, sets *put to 0 and makes
 * whole_left bytes available at whole_next instead. Returns true. Returns false if not all stored
 * bytes are in memory, or if the stream is very short, too long or corrupt. After false, zlib reads
 * the stream and reports an error in it, and the bytes at `place` are undefined. */
bool darshan_whole_take(struct darshan_stream *stream, void *place, size_t room, size_t *put);
/* Frees the decompressor and the buffer of darshan_whole_take. */
void darshan_whole_free(struct darshan_stream *stream);

/* The header of any format, converted to the newest layout (header.c). */
struct darshan_frame {
  int format;                   /* 341 for version 3.41 */
  bool swapped;                 /* true: the log has the opposite byte order */
  uint64_t header_size;         /* size of the header in bytes; the job region follows it */
  char version[9];              /* version as in the file, such as "3.41" */
  struct darshan_header header; /* in host byte order, with the newest module ids */
};
/* Reads the header at the begin of the file. Returns 0, or -1 with an error, for example if the
 * file is not a log or has an unknown format. */
int darshan_header_read(struct darshan_frame *frame, const struct darshan_file *file,
                        struct darshan_error *error);

/* The job record and the strings after it (job.c). */
struct darshan_job_region {
  uint64_t length;                                  /* stored bytes of the region */
  struct darshan_job job;                           /* in the newest layout */
  double run_time;                                  /* seconds; negative without an end time */
  char metadata_text[DARSHAN_JOB_METADATA_LEN + 1]; /* strings to which `metadata` points */
  char *text, *tokens; /* text: the command line; tokens: the mount table, split into strings */
  struct darshan_metadata *metadata;
  int num_metadata;
  struct darshan_mount *mounts; /* longest path first; the strings are in `tokens` */
  size_t *mount_lengths;        /* bytes of each mount's path */
  int num_mounts;
};
/* Reads the job region into *job, which the caller has zeroed. Returns 0, or -1 with an error. In
 * both cases the caller calls darshan_job_free. */
int darshan_job_read(struct darshan_job_region *job, const struct darshan_file *file,
                     const struct darshan_frame *frame, struct darshan_error *error);
/* Returns the run time of a job in seconds, as the log's format defines it; negative if the job has
 * no end time. */
double darshan_run_time(const struct darshan_frame *frame, const struct darshan_job *job);
/* Frees the memory that the struct points to, not the struct. */
void darshan_job_free(struct darshan_job_region *job);

/* Parse and search the mount table (mounts.c). darshan_mounts_parse splits the mount table after
 * the command line, which changes `text`, and sorts it; it returns 0, or -1 with an error.
 * darshan_mounts_find returns the index of a name's mount point, or -1 if it has none or name is
 * NULL. */
int darshan_mounts_parse(struct darshan_job_region *job, struct darshan_error *error);
int darshan_mounts_find(const struct darshan_job_region *job, const char *name);

/* The table from record ids to names (names.c). */
struct darshan_names {
  char *text;              /* entries of 8 bytes of id, name and NUL */
  size_t used, capacity;   /* bytes of complete entries in `text`; bytes allocated for it */
  uint32_t *slots;         /* 1 + offset of an entry in text; 0: free */
  uint64_t seed;           /* random seed of the hash */
  size_t num_slots, count; /* number of slots, a power of two; number of ids with a name */
};
/* Reads the name region into *names, which it zeroes first. A log without names is no error.
 * Returns 0, or -1 with an error. In both cases the caller calls darshan_names_free. */
int darshan_names_read(struct darshan_names *names, const struct darshan_file *file,
                       const struct darshan_frame *frame, struct darshan_error *error);
/* Returns the name of a record, which the table owns; NULL if the id has no name. */
const char *darshan_names_find(const struct darshan_names *names, uint64_t id);
/* Calls `each` for every name in the order of the file. */
void darshan_names_each(const struct darshan_names *names,
                        void (*each)(uint64_t id, const char *name, void *context), void *context);
void darshan_names_free(struct darshan_names *names);

/* The annex: blocks after the last region (annex.c). */
enum { DARSHAN_ANNEX_BLOCKS_MAX = 64, DARSHAN_ANNEX_FIRST_ID = DARSHAN_MAX_MODULES };
struct darshan_annex_entry {
  struct darshan_annex_block block; /* host byte order */
  uint64_t offset;                  /* file offset of the block's data */
};
struct darshan_annex {
  int num_blocks;
  struct darshan_annex_entry blocks[DARSHAN_ANNEX_BLOCKS_MAX]; /* sorted by module id */
  struct darshan_error problem; /* why a corrupt annex was skipped; such an annex has no blocks */
};
/* Reads the paths that the application did not find (failed lookups) from the page that a journal
 * has for them. Zeroes *lookups, with count 0, if the file has no such page or cannot be read.
 * swapped: the log has the opposite byte order. */
void darshan_lookups_read(struct darshan_lookups *lookups, const struct darshan_file *file,
                          bool swapped);
/* Reads where the blocks of the annex are. If the file has no annex or a corrupt one, the result
 * has no blocks; for a corrupt annex, annex->problem says why. */
void darshan_annex_read(struct darshan_annex *annex, const struct darshan_file *file, bool swapped);

/* Returns the number of distinct files of a GROUP record, at most its counter GROUP_SEEN. The
 * number is exact or an estimate (groups.c). counters: the counters of the record. */
int64_t darshan_group_files(const int64_t counters[]);

/* Conversion of a record of fixed size from an older version to the newest version (layout.c). */
enum { DARSHAN_WORDS_MAX = 320 }; /* number of 64-bit words of the longest record of fixed size */
struct darshan_layout {
  size_t words;                        /* number of words of the record in the file */
  size_t bytes_at, num_bytes;          /* index of the first word that contains single bytes, whose
                                          order is never reversed; number of such words */
  bool newest;                         /* true: the records need no conversion */
  int16_t target[DARSHAN_WORDS_MAX];   /* index of each word in the newest record; -1: the word is
                                          dropped */
  uint64_t initial[DARSHAN_WORDS_MAX]; /* initial values of the newest record */
  int skip_if_positive; /* index of a word; records in which it is positive are skipped; -1: no such
                           word */
  int addend;           /* index of a word that is added to addend_target; -1: no such word */
  int addend_target;    /* index in the newest record of the word that `addend` increases */
};
/* Prepares the conversion of a module's records. Returns 0; -1 with an error if the module has no
 * such version or no fixed layout. */
int darshan_layout_make(struct darshan_layout *layout, const struct darshan_module *module,
                        int version, struct darshan_error *error);
/* Converts one record in host byte order. out: receives a record of the newest version, of
 * out_words 64-bit words. */
void darshan_layout_convert(const struct darshan_layout *layout, const uint64_t *record,
                            uint64_t *out, size_t out_words);

/* The state of reading a module's records (records.c; variable.c and dxt.c for single kinds of
 * records). */
struct darshan_records {
  struct darshan_log *log;
  const struct darshan_module *module;
  int version;  /* version of the records in the file */
  bool swapped; /* true: the log has the opposite byte order */
  struct darshan_stream stream;
  struct darshan_layout layout; /* conversion of records of fixed size */
  unsigned char *buffer;       /* raw bytes of the region; the bytes from begin to end are unread */
  size_t capacity, begin, end; /* bytes of the buffer; offsets in it */
  uint64_t *out;               /* the converted record */
  size_t out_words;            /* number of 64-bit words at `out` */
  double first_width;          /* HEATMAP: bin width of the log's first record, seconds */
  int64_t first_bins; /* HEATMAP: number of bins of the log's first record; -1: none read yet */
  bool failed;        /* true: an error occurred, so all further reads fail */
};
/* The result of reading a record: an error, the end of the region, or a record. */
enum darshan_taken { DARSHAN_TAKEN_ERROR = -1, DARSHAN_TAKEN_END = 0, DARSHAN_TAKEN_RECORD = 1 };
/* Makes n decompressed bytes available at records->buffer + records->begin; may move the buffer.
 * Returns DARSHAN_TAKEN_RECORD; DARSHAN_TAKEN_END if the region ends before them;
 * DARSHAN_TAKEN_ERROR with an error, also if n exceeds DARSHAN_RECORD_MAX. */
enum darshan_taken darshan_records_need(struct darshan_records *records, uint64_t n,
                                        struct darshan_error *error);
/* Returns a buffer for a converted record of this many 64-bit words. `records` owns the buffer. The
 * next call may move it, and the next record overwrites it. Returns NULL with an error if out of
 * memory. */
uint64_t *darshan_records_room(struct darshan_records *records, size_t words,
                               struct darshan_error *error);
/* Read the next record of modules with records of variable size. They store a record of the newest
 * layout in *record, valid until the next call, and its size in bytes in *size. */
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

/* An open log (log.c); info points into the other members. */
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
