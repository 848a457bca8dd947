/* libdarshan-read: reads Darshan logs of formats 3.00 to 3.41, in either byte
 * order, compressed or not, finished logs and journals.
 *
 * A log is untrusted. Every function that can fail takes a struct darshan_error
 * and fills it with one line; no function prints or exits. All records have the
 * newest layout of their module (records.h) and host byte order. Only one thread
 * at a time may use a darshan_log; different logs are independent. */
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
  int id;           /* module id in the newest numbering; >= 64: annex */
  const char *name; /* NULL: the id is unknown */
  uint64_t length;  /* bytes stored in the file */
  int version;      /* record version in the file */
  int partial;      /* 1: the runtime dropped records of this module; otherwise 0 */
};

/* A mount point of the machine on which the log was written. */
struct darshan_mount {
  const char *path;
  const char *type; /* file system type, such as "lustre" */
};

/* A line key=value in the job record. */
struct darshan_metadata {
  const char *key;
  const char *value;
};

/* The data of a log without its records. The log owns the memory. Strings are NUL-terminated bytes,
 * not necessarily UTF-8. */
struct darshan_info {
  char version[9];        /* format version as in the file, such as "3.41" */
  int compression;        /* enum darshan_compression */
  int swapped;            /* 1: written in the opposite byte order */
  uint64_t partial_flag;  /* bit i: the runtime dropped records of module i (ids below 64) */
  uint64_t job_length;    /* stored bytes of the job region */
  uint64_t name_length;   /* stored bytes of the name region */
  struct darshan_job job; /* in the newest layout */
  double run_time;        /* seconds; negative in a journal without an end time */
  const char *exe;        /* command line; "" if the log has none */
  int num_metadata;
  const struct darshan_metadata *metadata; /* one element per line with a '=' */
  int num_mounts;
  const struct darshan_mount *mounts; /* longest path first */
  int num_modules;
  const struct darshan_module_region
      *modules; /* sorted by id; each module has data or the partial flag */
  const char
      *annex_problem; /* reason why a corrupt annex was skipped; NULL: no annex, or a valid one */
};

/* Limits for one log, which apply to any content. The number of records has no limit, because they
 * are streamed. */
#define DARSHAN_NAMES_MAX (UINT64_C(256) << 20)  /* bytes of all names, decompressed */
#define DARSHAN_RECORD_MAX (UINT64_C(256) << 20) /* bytes of a record, such as a DXT trace */
#define DARSHAN_BLOCK_MAX (UINT64_C(4) << 30)    /* bytes that darshan_log_load collects */

/* Opens a log and reads all data except the records. Returns the log. Returns NULL with an error if
 * the file cannot be read, or if its header, job region or name region is corrupt. A corrupt annex
 * is no error; it is skipped (info->annex_problem). */
darshan_log *darshan_log_read(const char *path, struct darshan_error *error);
/* Closes the log and frees its info and its names. NULL is allowed. Readers of its records must be
 * closed before. */
void darshan_log_free(darshan_log *log);

/* Returns the log's data; never NULL. Valid until darshan_log_free. */
const struct darshan_info *darshan_log_info(const darshan_log *log);

/* Returns the name of a record, which is valid until darshan_log_free; NULL if the log has no name
 * for this id. */
const char *darshan_log_name(const darshan_log *log, uint64_t id);
/* Calls `each` for every record name of the log with its id, in the order of the log. */
void darshan_log_each_name(const darshan_log *log,
                           void (*each)(uint64_t id, const char *name, void *context),
                           void *context);

/* Calls `each` for the paths in a journal that the application last tried to open or stat and that
 * did not exist, the last path first. length: bytes of `name` without its NUL. They include lookups
 * of program files. For a finished log, never calls `each`: its lookups are metadata. */
void darshan_log_each_lookup(const darshan_log *log,
                             void (*each)(const char *name, size_t length, void *context),
                             void *context);

/* Returns the index in info->mounts of the longest mount path that is a prefix of this name, byte
 * for byte ("/a" also matches "/ab"); -1 if no path matches or name is NULL. */
int darshan_log_mount(const darshan_log *log, const char *name);

/* Reads the records of one module in turn. darshan_records_open returns NULL with an error if the
 * module has no data, if its data lie outside of the file, if its id, version or layout is unknown,
 * or if out of memory. darshan_records_next returns 1 and a record (aligned to 8 bytes, valid until
 * the next call), 0 at the end, or -1 with an error; the records that it returned before an error
 * were correct. An incomplete record at the end of the data is ignored. size: bytes of the whole
 * record, including variable parts. POSIX records of version 1 that belong to a stream are
 * skipped. */
darshan_records *darshan_records_open(darshan_log *log, int module, struct darshan_error *error);
int darshan_records_next(darshan_records *records, const void **record, size_t *size,
                         struct darshan_error *error);
void darshan_records_close(darshan_records *records);

/* Reads all records of a module with fixed record size into one block, which darshan_block_free
 * frees; NULL if there are no records. Returns their number. Returns -1 with an error, also if the
 * module has no data, if its record size varies, or if the block would exceed DARSHAN_BLOCK_MAX. */
long darshan_log_load(darshan_log *log, int module, void **block, struct darshan_error *error);
/* Frees a block of darshan_log_load; NULL is allowed. */
void darshan_block_free(void *block);

/* Computes the sum of the working times of a run's processes: their run times without the time in
 * which they waited (doc/page-one.md). io: seconds in I/O, for the log of a single process. *work:
 * the sum in seconds. Returns 1; -1 with an error. Returns 0 if the log lacks the data; then the
 * run time of each process is its working time. */
int darshan_log_work(darshan_log *log, double io, double *work, struct darshan_error *error);

/* Returns the name (without MPI_) of the MPI function at this index in the order of an APMPI
 * record's counters; NULL for an index outside of the list, starting at 0. Sets *sized to 1 if the
 * bytes of its messages are counted, so that it has eight counters, and to 0 if it has one. */
const char *darshan_apmpi_call(int index, int *sized);

/* Returns the record id of a name: the 64-bit hash that the format defines. length: bytes of the
 * name. */
uint64_t darshan_id_of_name(const char *name, size_t length);

#ifdef __cplusplus
}
#endif
#endif
