/* libdarshan-util: the interface of Darshan 3.5's library of this name, on top of this project's
 * reader. PyDarshan and other programs call it; doc/library.md has an example. libdarshan-read
 * (darshan-read.h) offers more, and returns errors instead of printing them.
 *
 * It reads logs of all formats and byte orders, both compressions and none, finished logs and
 * journals. Records have the newest layout of their module. On an error, a function prints one
 * line on stderr and returns NULL or a negative number. Only one thread at a time may use a log;
 * its modules may be read in any order, also alternately.
 *
 * The caller frees memory that it gets through a pointer to a pointer, with darshan_free. */
#ifndef DARSHAN_LOGUTILS_H
#define DARSHAN_LOGUTILS_H

#include "log-format.h"
#include "records.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t darshan_record_id;

/* The record types, with their names in Darshan 3.5. The indices of counters and fcounters are the
 * constants of the counter's name, such as POSIX_OPENS. */
#define DARSHAN_COUNTED_(name, PREFIX)                                                             \
  struct name {                                                                                    \
    struct darshan_base_record base_rec;                                                           \
    int64_t counters[PREFIX##_NUM_COUNTERS];                                                       \
    double fcounters[PREFIX##_NUM_FCOUNTERS];                                                      \
  }
#define DARSHAN_COUNTED_IN_FILE_(name, PREFIX)                                                     \
  struct name {                                                                                    \
    struct darshan_base_record base_rec;                                                           \
    uint64_t file_rec_id;                                                                          \
    int64_t counters[PREFIX##_NUM_COUNTERS];                                                       \
    double fcounters[PREFIX##_NUM_FCOUNTERS];                                                      \
  }
DARSHAN_COUNTED_(darshan_posix_file, POSIX);
DARSHAN_COUNTED_(darshan_stdio_file, STDIO);
DARSHAN_COUNTED_(darshan_mpiio_file, MPIIO);
DARSHAN_COUNTED_(darshan_hdf5_file, H5F);
DARSHAN_COUNTED_IN_FILE_(darshan_hdf5_dataset, H5D);
DARSHAN_COUNTED_(darshan_pnetcdf_file, PNETCDF_FILE);
DARSHAN_COUNTED_IN_FILE_(darshan_pnetcdf_var, PNETCDF_VAR);
DARSHAN_COUNTED_(darshan_bgq_record, BGQ);
#undef DARSHAN_COUNTED_
#undef DARSHAN_COUNTED_IN_FILE_

struct darshan_dfs_file {
  struct darshan_base_record base_rec;
  int64_t counters[DFS_NUM_COUNTERS];
  double fcounters[DFS_NUM_FCOUNTERS];
  unsigned char pool_uuid[16];
  unsigned char cont_uuid[16];
};
struct darshan_daos_object {
  struct darshan_base_record base_rec;
  int64_t counters[DAOS_NUM_COUNTERS];
  double fcounters[DAOS_NUM_FCOUNTERS];
  unsigned char pool_uuid[16];
  unsigned char cont_uuid[16];
  uint64_t oid_hi;
  uint64_t oid_lo;
};

/* Records of variable length. Each is one block of memory, in which the lists follow the struct
 * that points to them. */
struct darshan_lustre_record {
  struct darshan_base_record base_rec;
  int64_t num_comps;
  int64_t num_stripes; /* of all components together */
  struct darshan_lustre_component *comps;
  int64_t *ost_ids; /* storage targets: those of the first component, then of the next */
};
struct darshan_heatmap_record {
  struct darshan_base_record base_rec;
  double bin_width_seconds;
  int64_t nbins;       /* length of each array below */
  int64_t *write_bins; /* bytes written in each time bin, from the start of the job on */
  int64_t *read_bins;  /* bytes read */
};
/* 1 if segments have the thread id, as in upstream's library after 3.5.0; this is
 * libdarshan-util.so.1. 0 if they are those of 3.5.0, as in libdarshan-util.so.0. pkg-config sets
 * it according to the installed library. */
#ifndef DARSHAN_DXT_THREADS
#define DARSHAN_DXT_THREADS 0
#endif

/* DXT: write_count segments follow, then read_count. */
struct dxt_file_record {
  struct darshan_base_record base_rec;
  int64_t shared_record; /* always 0 */
  char hostname[64];     /* node of the rank; may lack a NUL */
  int64_t write_count;
  int64_t read_count;
};
/* One read or write of a trace. */
typedef struct segment_info {
  int64_t offset;    /* in the file, bytes; -1: not in the log */
  int64_t length;    /* bytes */
  double start_time; /* seconds since the start of the job */
  double end_time;
#if DARSHAN_DXT_THREADS
  unsigned long pthread_id; /* value of pthread_self; 0: not in the log */
#endif
} segment_info;
/* Returns the size of a segment in this library. It is sizeof(segment_info) if the header matches
 * the library. */
size_t darshan_log_get_segment_size(void);

struct darshan_name_record {
  darshan_record_id id;
  char *name; /* the caller also frees each name, with darshan_free */
};
/* A mount point; longer strings are cut. */
struct darshan_mnt_info {
  char mnt_type[3015];
  char mnt_path[3015];
};
struct darshan_mod_info {
  char *name;       /* owned by the library */
  int len;          /* bytes of the module's data in the file, mostly compressed; at most INT_MAX */
  int ver;          /* version of the records in the file */
  int idx;          /* argument for darshan_log_get_record */
  int partial_flag; /* not 0: the runtime dropped records */
};

/* Opens a log; darshan_log_close frees it. Returns NULL after a line on stderr if the file cannot
 * be read, is not a log or is corrupt before its records. Returns NULL, without this line, if
 * `path` is NULL or if out of memory. */
void *darshan_log_open(const char *path);
/* Closes a log and frees what the library owns of it. NULL is allowed. */
void darshan_log_close(void *log);

/* Copies the job record. Returns 0, or -1 if an argument is NULL. */
int darshan_log_get_job(void *log, struct darshan_job *job);
/* Stores the run time of the job in seconds; negative if the job has no end time. Returns 0, or -1
 * if an argument is NULL. */
int darshan_log_get_job_runtime(void *log, struct darshan_job job, double *runtime);
/* Stores the command line in exe, which has 4096 bytes, and cuts a longer one; the empty string if
 * the log has no mount table. Returns 0, or -1 if an argument is NULL. */
int darshan_log_get_exe(void *log, char *exe);
/* Stores the mount points, the longest path first. Returns 0, or -1 if an argument is NULL or out
 * of memory. The caller frees *mounts, also if *count is 0. */
int darshan_log_get_mounts(void *log, struct darshan_mnt_info **mounts, int *count);
/* Stores the modules that have data and whose records this library can read, except those of the
 * annex (ids from 64 on). *count may be 0. *modules is NULL if out of memory. */
void darshan_log_get_modules(void *log, struct darshan_mod_info **modules, int *count);

/* Store names of records in *names, in the order of the log, and their number in *count:
 * darshan_log_get_name_records those of all records, darshan_log_get_filtered_name_records those of
 * the num_ids ids at `ids`. Ids without a name are skipped. On an error, *names is NULL. */
void darshan_log_get_name_records(void *log, struct darshan_name_record **names, int *count);
void darshan_log_get_filtered_name_records(void *log, struct darshan_name_record **names,
                                           int *count, darshan_record_id *ids, int num_ids);
/* Always returns -1, because only 3.5's own sources can read the hash table that it returned
 * there. */
struct darshan_name_record_ref;
int darshan_log_get_namehash(void *log, struct darshan_name_record_ref **hash);

/* Reads the next record of a module (its id, darshan_mod_info.idx). Returns 1; 0 at the end, or if
 * the module has no data; -1 if out of memory, or if the module is corrupt or unknown, then also in
 * all later calls. If *record is NULL, allocates the record, which the caller frees with
 * darshan_free; otherwise writes to this memory, which must be large enough. The call after the end
 * reads the first record again. */
int darshan_log_get_record(void *log, int module, void **record);

/* Returns "3.5.0", the version of this interface. The library owns the string. */
char *darshan_log_get_lib_version(void);
/* Frees memory that a function of this library allocated for the caller. */
void darshan_free(void *memory);

/* Sums over many records of one module, as in the output of `darshan-parser --file --perf --total`.
 * The categories of files are: all, read only, written only, read and written, used by one process,
 * by all, by some. */
struct darshan_file_category_counters {
  int64_t count; /* number of files */
  int64_t total_read_volume_bytes;
  int64_t total_write_volume_bytes;
  int64_t max_read_volume_bytes; /* largest number of any file */
  int64_t max_write_volume_bytes;
  int64_t total_max_offset_bytes; /* sum of the files' highest offsets; -1: not known */
  int64_t max_offset_bytes;       /* highest offset of any file; -1: not known */
  int64_t nprocs; /* sum over the files; -1: at least as many as the job has, or a shared record */
};
struct darshan_derived_metrics {
  int64_t total_bytes; /* read and written */
  /* Seconds that the slowest rank spent in files of its own: all I/O, reads and writes, metadata
   * operations. */
  double unique_io_total_time_by_slowest;
  double unique_rw_only_time_by_slowest;
  double unique_md_only_time_by_slowest;
  int unique_io_slowest_rank;
  double shared_io_total_time_by_slowest; /* seconds of the slowest rank, over the shared files */
  double agg_perf_by_slowest;             /* MiB/s: total_bytes by agg_time_by_slowest */
  double agg_time_by_slowest;             /* seconds: the unique and the shared total */
  struct darshan_file_category_counters category_counters[7];
};
typedef struct darshan_accumulator_st *darshan_accumulator;

/* Makes an empty accumulator for the records of a module. Only POSIX, MPI-IO, STDIO, DFS and DAOS
 * have such sums. darshan_accumulator_destroy frees it. job_nprocs: processes of the job. Returns
 * 0, or -1 if `accumulator` is NULL, for another module, or if out of memory. */
int darshan_accumulator_create(int module, int64_t job_nprocs, darshan_accumulator *accumulator);
/* Adds `count` contiguous records, in the form of darshan_log_get_record. Returns 0, or -1 if out
 * of memory or for an invalid argument. records may be NULL if count is 0. */
int darshan_accumulator_inject(darshan_accumulator accumulator, void *records, int count);
/* Stores the sums of all added records: the metrics, and a record of the module with the sums of
 * its counters. Either pointer may be NULL. Returns 0, or -1 if `accumulator` is NULL. */
int darshan_accumulator_emit(darshan_accumulator accumulator,
                             struct darshan_derived_metrics *metrics, void *aggregation_record);
/* Frees an accumulator. Returns 0, or -1 if `accumulator` is NULL. */
int darshan_accumulator_destroy(darshan_accumulator accumulator);

/* Names of counters, in the order of the record. ..._NUM_INDICES and NULL end each array. */
extern char *posix_counter_names[], *posix_f_counter_names[];
extern char *stdio_counter_names[], *stdio_f_counter_names[];
extern char *mpiio_counter_names[], *mpiio_f_counter_names[];
extern char *h5f_counter_names[], *h5f_f_counter_names[];
extern char *h5d_counter_names[], *h5d_f_counter_names[];
extern char *pnetcdf_file_counter_names[], *pnetcdf_file_f_counter_names[];
extern char *pnetcdf_var_counter_names[], *pnetcdf_var_f_counter_names[];
extern char *bgq_counter_names[], *bgq_f_counter_names[];
extern char *mdhim_counter_names[], *mdhim_f_counter_names[];
extern char *dfs_counter_names[], *dfs_f_counter_names[];
extern char *daos_counter_names[], *daos_f_counter_names[];
extern char *lustre_comp_counter_names[];
/* Names of an APMPI record: counters, times of calls, times of waiting, times of all calls. */
extern char *apmpi_counter_names[];
extern char *apmpi_f_mpiop_totaltime_counter_names[];
extern char *apmpi_f_mpiop_synctime_counter_names[];
extern char *apmpi_f_mpi_global_counter_names[];

#ifdef __cplusplus
}
#endif
#endif
