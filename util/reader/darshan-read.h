/* libdarshan-read: reads Darshan logs of formats 3.00 to 3.41, either byte
 * order, compressed or not, finished or live.
 *
 * A log is data from a stranger: no byte of it is trusted.  Every function that
 * can fail takes a struct darshan_error and fills it with one line; nothing is
 * printed, nothing exits.  All records come out in the newest layout of their
 * module (records.h) and in host byte order.  A darshan_log is used by one
 * thread at a time; different logs are independent. */
#ifndef DARSHAN_READ_H
#define DARSHAN_READ_H

#include "describe.h"

#ifdef __cplusplus
extern "C" {
#endif

struct darshan_error {
  char text[256]; /* one line without newline; empty: no error */
};

typedef struct darshan_log darshan_log;
typedef struct darshan_records darshan_records;

struct darshan_module_region {
  int id;           /* module id of today's numbering; >= 64: annex */
  const char *name; /* NULL if the id is unknown */
  uint64_t length;  /* bytes stored in the file */
  int version;      /* record version in the file */
  int partial;      /* 1: the runtime had to leave records out */
};

struct darshan_mount {
  const char *path;
  const char *type;
};

struct darshan_metadata {
  const char *key;
  const char *value;
};

/* Everything but the records.  Owned by the log; strings are NUL-terminated
 * bytes, not necessarily UTF-8. */
struct darshan_info {
  char version[9]; /* format version as in the file */
  int compression; /* enum darshan_compression */
  int swapped;     /* 1: written in the opposite byte order */
  uint64_t partial_flag;
  uint64_t job_length;    /* stored bytes of the job region */
  uint64_t name_length;   /* stored bytes of the name region */
  struct darshan_job job; /* in the newest layout */
  double run_time;        /* seconds; negative for a live journal */
  const char *exe;        /* command line */
  int num_metadata;
  const struct darshan_metadata *metadata; /* lines with a '=' */
  int num_mounts;
  const struct darshan_mount *mounts; /* longest path first */
  int num_modules;
  const struct darshan_module_region *modules; /* id order; data or partial bit */
  const char *annex_problem; /* why a damaged annex was left out; NULL: none, or it is fine */
};

/* What the reader takes from one log at most, whatever the file claims.
 * Records are streamed, so their number has no limit. */
#define DARSHAN_NAMES_MAX (UINT64_C(256) << 20)  /* bytes of all names, decompressed */
#define DARSHAN_RECORD_MAX (UINT64_C(256) << 20) /* bytes of one record (a DXT trace) */
#define DARSHAN_BLOCK_MAX (UINT64_C(4) << 30)    /* bytes that darshan_log_load gathers */

/* Opens a log and reads everything but the records.  NULL: error filled.
 * Names are loaded here too; a damaged name region fails the open. */
darshan_log *darshan_log_read(const char *path, struct darshan_error *error);
void darshan_log_free(darshan_log *log);

const struct darshan_info *darshan_log_info(const darshan_log *log);

/* Name of a record, NULL if the log has none for this id. */
const char *darshan_log_name(const darshan_log *log, uint64_t id);
/* All names: calls back once per id, in the order of the log. */
void darshan_log_each_name(const darshan_log *log,
                           void (*each)(uint64_t id, const char *name, void *context),
                           void *context);

/* Index into info->mounts of the mount point that holds this name, -1: none. */
int darshan_log_mount(const darshan_log *log, const char *name);

/* Reads the records of one module one after another.
 * darshan_records_open: NULL and an error if the module has no data, or none
 * that this reader knows (id, version, layout).
 * darshan_records_next: 1 and a record (aligned to 8 bytes, valid until the
 * next call), 0 at the end, -1 and an error; what came before an error is good.
 * size is the whole record, variable parts included.
 * POSIX records of version 1 that stand for a stream are left out. */
darshan_records *darshan_records_open(darshan_log *log, int module, struct darshan_error *error);
int darshan_records_next(darshan_records *records, const void **record, size_t *size,
                         struct darshan_error *error);
void darshan_records_close(darshan_records *records);

/* All records of a module of fixed size in one block, for array users.
 * Returns the number of records, -1 on error; *block is freed with
 * darshan_block_free.  Modules of variable size: error. */
long darshan_log_load(darshan_log *log, int module, void **block, struct darshan_error *error);
void darshan_block_free(void *block);

/* Seconds in which the processes of a run could work, added up: what they lived without what they
 * waited (doc/page-one.md).  io: seconds of a single process in I/O.  1: *work is that; 0: the log
 * does not tell (then it is the run time of each process); -1 and an error. */
int darshan_log_work(darshan_log *log, double io, double *work, struct darshan_error *error);

/* The calls of MPI that a record of APMPI counts, in its order: the name without MPI_, NULL
 * behind the last.  sized: 1 if bytes are counted, too (eight counters instead of one). */
const char *darshan_apmpi_call(int index, int *sized);

/* Record id of a name (the format's 64-bit hash). */
uint64_t darshan_id_of_name(const char *name, size_t length);

#ifdef __cplusplus
}
#endif
#endif
