/* The settings of this process. The configuration file overrides built-in defaults; the environment
 * overrides both. settings.def has a row per setting, doc/environment.md explains them. In this
 * folder "config.h" means this file and <config.h> means autoconf's. */
#ifndef DARSHAN_CONFIG_H
#define DARSHAN_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../names/pattern.h"
#include "../text/messages.h"

enum {
  DARSHAN_RECORDS = 1024,       /* limit of records of most modules without MAX_RECORDS */
  DARSHAN_FILE_RECORDS = 16384, /* limit of POSIX, STDIO and HDF5 in a process that is not a rank */
  DARSHAN_MODULE_IDS = 128,     /* header modules below 64, those of the annex above */
  DARSHAN_CONFIG_ARENA = 16384, /* bytes for all strings */
  DARSHAN_CONFIG_WORDS = 64,    /* entries of a list of words, of ranges of ranks, of name rules */
  DARSHAN_CONFIG_RANKS = 64,
  DARSHAN_CONFIG_NAMES = 64
};

struct darshan_module_set { /* module id i is bit i % 64 of bits[i / 64] */
  uint64_t bits[DARSHAN_MODULE_IDS / 64];
};

static inline bool darshan_module_set_has(const struct darshan_module_set *set, int id) {
  return set->bits[id / 64] >> (id % 64) & 1;
}

/* A yes-or-no setting whose default depends on others: OPEN means that the user did not set it. */
enum darshan_choice { DARSHAN_CHOICE_OPEN, DARSHAN_CHOICE_NO, DARSHAN_CHOICE_YES };

/* A range of ranks, inclusive on both ends. Lists of ranges point to their slots in `struct
 * darshan_config_room`. */
struct darshan_rank_range {
  int64_t first, last;
};
struct darshan_rank_ranges {
  int count;
  struct darshan_rank_range *range;
};

struct darshan_words {
  int count;
  const char **word;
};

struct darshan_name_rule { /* from NAME_EXCLUDE or NAME_INCLUDE of the configuration file */
  struct darshan_module_set modules;
  const char *pattern;
  struct pattern compiled;
};
struct darshan_name_rules {
  int count;
  struct darshan_name_rule *rule;
};

/* The memory of strings and lists. Most processes never touch most of it. */
struct darshan_config_room {
  char arena[DARSHAN_CONFIG_ARENA]; /* first, because every process uses its beginning */
  struct darshan_rank_range rank_exclude[DARSHAN_CONFIG_RANKS], rank_include[DARSHAN_CONFIG_RANKS];
  const char *app_exclude[DARSHAN_CONFIG_WORDS], *app_include[DARSHAN_CONFIG_WORDS];
  const char *launchers[DARSHAN_CONFIG_WORDS], *program_trees[DARSHAN_CONFIG_WORDS];
  const char *filter_calls[DARSHAN_CONFIG_WORDS];
  struct darshan_name_rule name_exclude[DARSHAN_CONFIG_NAMES], name_include[DARSHAN_CONFIG_NAMES];
};

/* All settings. Strings of the environment and of the configuration file are copied into
 * room.arena, because some applications overwrite their environment, for example to change their
 * title. Read-only after darshan_config_load. Takes about 32 KiB, which must be zero-filled static
 * memory, so that pages of unused settings are never touched. */
struct darshan_config {
  /* These decide whether this process is instrumented. */
  bool disabled;     /* by DARSHAN_DISABLE, the administrators' file, raised rights or another
                        runtime in this process */
  bool app_excluded; /* an APP_EXCLUDE matches and no APP_INCLUDE does, or a batch system runs it */
  bool left_out;     /* the job is not in the sample */
  bool nonmpi;       /* instrument programs without MPI */
  bool launcher;     /* the program starts the ranks of a job and is not a rank */
  int64_t sample;    /* records one of this many jobs */

  /* Settings of recording. */
  bool dump;
  bool internal_timing;
  bool sites;            /* count calls by the stack that made them */
  bool page_faults;      /* sample the addresses of page faults in mapped files */
  bool hdf5_storage;     /* query the storage of datasets when they close */
  bool collectives_meet; /* a barrier before MPI's collectives, to measure each rank's wait */
  bool mpi_files;        /* record the internal files of MPI libraries as well */
  bool program_files;    /* each file of a program has a record of its own */
  bool no_reduction;     /* keep one record per rank of shared files */
  bool dxt;              /* DXT_ENABLE_IO_TRACE, which `modules` already contains */
  bool dxt_threads;      /* traces store the thread of each transfer */
  bool job_tree;         /* one log for a tree of processes */
  bool logpath_dated;    /* logs go to year/month/day below logpath */
  enum darshan_choice dated_wanted;
  struct darshan_module_set modules;                           /* modules that are switched on */
  struct darshan_module_set modules_disabled, modules_enabled; /* as the user switched them */
  struct darshan_module_set records_asked;                     /* modules that MAX_RECORDS names */
  uint64_t modmem, namemem;                                    /* bytes */
  int64_t mem_alignment;                                       /* bytes, at least 1 */
  double small_io_trigger, unaligned_io_trigger;               /* fraction; negative: off */

  /* Paths of files that are written. */
  const char *logfile;      /* exact path of the log; NULL: a name is generated */
  int64_t logfile_pid;      /* the process whose log has that path; 0: not set */
  const char *logpath;      /* folder for logs, absolute, never NULL */
  const char *mmap_logpath; /* folder for journals, absolute, never NULL */
  const char *hints;        /* MPI-IO hints "k=v;k=v"; NULL: not set, "": none */

  /* The program, its user and its job. */
  const char *exe;             /* last component of argv[0], never NULL */
  const char *user;            /* LOGNAME, or as configured; NULL: take the effective uid */
  const char *home;            /* HOME or NULL */
  const char *timezone;        /* TZ or NULL */
  const char *launcher_folder; /* PMIX_SERVER_TMPDIR, for files of launcher and ranks, or NULL */
  const char *config_path;     /* the configuration file that was read, or NULL */
  const char *jobid_variable;  /* never NULL */
  bool has_jobid;              /* false: the id of the root process is the job id */
  int64_t jobid;
  int64_t launched_rank, launched_size; /* if launched_by is set; size 0: not known */
  const char *launched_by;              /* name of the launcher, or NULL */
  const char *launch;                   /* the launcher's name of this launch, or "" */

  uint32_t max_records[DARSHAN_MODULE_IDS]; /* limit of records; for the DXT modules in KiB */
  struct darshan_rank_ranges rank_exclude, rank_include;
  struct darshan_words app_exclude, app_include, launchers;
  struct darshan_words program_trees; /* in addition to names/program-trees.def */
  struct darshan_words filter_calls;  /* system calls allowed under an inherited filter */
  struct darshan_name_rules name_exclude, name_include;

  size_t arena_used;
  struct darshan_config_room room; /* not cleared, so that unused pages are not touched */
};

/* Fills config from defaults, the file of DARSHAN_CONFIG_PATH and envp. argv is the application's
 * and may be NULL. Adds problems to messages, which the caller has zeroed; an invalid value does
 * not change its setting. If DARSHAN_DISABLE is set, only sets the defaults, `disabled` and `exe`.
 * May be called in the first constructor of a process. Maps memory only for the file and for
 * patterns. */
void darshan_config_load(struct darshan_config *config, char **envp, int argc, char **argv,
                         struct darshan_messages *messages);

/* Frees the memory of patterns, for programs that load settings more than once. */
void darshan_config_release(struct darshan_config *config);

/* Writes the effective settings that have a value to fd, in the syntax of a configuration file.
 * Settings that a file cannot have, the job id and the list of modules become comment lines. */
void darshan_config_dump(const struct darshan_config *config, int fd);

/* Returns true if this process must be instrumented, otherwise false. Does not consider
 * `nonmpi`. */
static inline bool darshan_config_active(const struct darshan_config *config) {
  return !config->disabled && !config->app_excluded && !config->left_out;
}

/* Returns true if the job is recorded by the setting `sample`: the job id is a multiple of it. The
 * result is the same on every rank, and administrators can predict it. */
static inline bool darshan_job_in_sample(const struct darshan_config *config, int64_t jobid) {
  return config->sample <= 1 || jobid % config->sample == 0;
}

static inline bool darshan_module_on(const struct darshan_config *config, int module_id) {
  return darshan_module_set_has(&config->modules, module_id);
}

/* Returns true if RANK_EXCLUDE has this rank and RANK_INCLUDE does not: it must not record. */
bool darshan_rank_excluded(const struct darshan_config *config, int64_t rank);

/* The settings of this process. */
extern struct darshan_config darshan_config __attribute__((visibility("hidden")));

/* Determines whether this process runs a launcher, which starts the ranks of a job (launcher.c),
 * and the language of its program, in which reports give code examples (language.c). */

/* Returns true if this process is a launcher by its name: the name of the executed file or
 * `program` (the last component of argv[0]) is a name of launcher-names.def or one of the `count`
 * names in `more`, or such a name with a dot and an ending. */
bool darshan_is_launcher(const char *program, const char *const *more, int count);
/* Returns true if this program is one that a batch system runs before or after a task, with the
 * task's environment (launcher-names.def). Compares names as darshan_is_launcher does. */
bool darshan_is_beside_tasks(const char *program);

/* Returns "C", "C++", "Fortran", "Rust", "Go" or "Fortran,C++", or "" if it cannot be determined,
 * as in a static program. Considers the executable's own notes, constants and needed libraries
 * (DT_NEEDED), but not what those libraries need. A program with nothing that tells another
 * language counts as C. */
const char *darshan_language(void) __attribute__((visibility("hidden")));

#endif
