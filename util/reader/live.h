/* Declares functions that read a journal repeatedly while its process writes it, or a part of a run
 * once. They suit programs that observe many journals: one look costs about ten system calls, and
 * allocates no memory that lasts. The file is untrusted, as in darshan-read.h. */
#ifndef DARSHAN_LIVE_H
#define DARSHAN_LIVE_H

#include "reader.h"

#include <sys/stat.h>

/* An open journal or part, and what the last darshan_live_look read of it. */
struct darshan_live {
  struct darshan_file file;
  struct darshan_frame frame;
  struct darshan_annex annex;
  struct darshan_annex_trailer trailer; /* trailer with which the annex was read */
  struct stat status;                   /* status of the file at the begin of the last look */
  uint64_t names_taken; /* bytes of the name region that darshan_live_names has passed on */
  uint64_t bytes_read;  /* bytes that looks have read since darshan_live_open */
};

enum { DARSHAN_LIVE_LAYOUTS = 16 }; /* number of cached record layouts */

/* Buffers that any number of journals share, one after the other. The caller zeroes the struct
 * before the first use. */
struct darshan_live_room {
  unsigned char *bytes;        /* content of the region that was read last, decompressed */
  size_t capacity;             /* bytes at `bytes` */
  uint64_t *converted;         /* records of an older version, converted to the newest layout */
  size_t converted_capacity;   /* number of 64-bit words at `converted` */
  struct darshan_live_layout { /* layouts that were used most recently; version 0: free */
    int module, version;
    struct darshan_layout layout;
  } layouts[DARSHAN_LIVE_LAYOUTS];
  unsigned next_layout; /* index of the layout that the next new one replaces */
};

/* Largest number of bytes of one region that is read. Records after this limit are ignored. */
#define DARSHAN_LIVE_REGION_MAX (UINT64_C(32) << 20)

/* Opens the log behind `fd`, a regular file. at, length: offset and length in bytes of the log in
 * the file; length 0: the whole file. Accepts format 3.41 in the byte order of this machine, which
 * all processes on it use. Returns 0, or -1 with an error. The caller keeps ownership of fd in both
 * cases. */
int darshan_live_open(struct darshan_live *live, int fd, uint64_t at, uint64_t length,
                      struct darshan_error *error);

/* Reads the job record, command line and mount table into *job. Returns 0, or -1 with an error. In
 * both cases the caller calls darshan_job_free. */
int darshan_live_job(struct darshan_live *live, struct darshan_job_region *job,
                     struct darshan_error *error);

/* Reads the file's size, the header and the annex again, because the process may have added
 * records. Called before darshan_live_names and darshan_live_records, which read what it found.
 * Returns 0, or -1 with an error. */
int darshan_live_look(struct darshan_live *live, struct darshan_error *error);

/* Calls `each` for the record names that the process added since the last call, in the first call
 * for all names. `name` is valid only during the call. Returns 0, or -1 with an error. */
int darshan_live_names(struct darshan_live *live, struct darshan_live_room *room,
                       void (*each)(uint64_t id, const char *name, void *context), void *context,
                       struct darshan_error *error);

/* Reads the records of a module with fixed record size, in the newest layout. Returns their number
 * and sets *records to the first record; the others follow it. They are in `room` and valid until
 * the next call that uses `room`. Returns 0 if the module has no records or is unknown, -1 with an
 * error. */
long darshan_live_records(struct darshan_live *live, struct darshan_live_room *room, int module,
                          const unsigned char **records, struct darshan_error *error);

/* Frees the buffers and zeroes the struct, which can be used again. */
void darshan_live_room_free(struct darshan_live_room *room);

#endif
