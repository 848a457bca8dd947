/* The settings of this process: built-in defaults, overridden by the
 * configuration file, overridden by the environment.  settings.def has a row
 * per setting, doc/environment.md explains them.
 *
 * Files of this folder: "config.h" is this one, <config.h> is autoconf's. */
#ifndef DARSHAN_CONFIG_H
#define DARSHAN_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../names/pattern.h"
#include "messages.h"

enum {
  DARSHAN_RECORDS = 1024,       /* of a module, if nobody says otherwise ... */
  DARSHAN_FILE_RECORDS = 16384, /* ... of POSIX, STDIO and HDF5, in a process that is no rank */
  DARSHAN_MODULE_IDS = 128,     /* header modules below 64, those of the annex above */
  DARSHAN_CONFIG_ARENA = 16384,
  DARSHAN_CONFIG_WORDS = 64,
  DARSHAN_CONFIG_RANKS = 64,
  DARSHAN_CONFIG_NAMES = 64
};

struct darshan_module_set { /* bit i of word i / 64: module id i */
  uint64_t bits[DARSHAN_MODULE_IDS / 64];
};

static inline bool darshan_module_set_has(const struct darshan_module_set *set, int id) {
  return set->bits[id / 64] >> (id % 64) & 1;
}

enum darshan_choice { DARSHAN_CHOICE_OPEN, DARSHAN_CHOICE_NO, DARSHAN_CHOICE_YES };

struct darshan_rank_ranges { /* inclusive on both ends */
  int count;
  struct {
    int64_t first, last;
  } range[DARSHAN_CONFIG_RANKS];
};

struct darshan_words {
  int count;
  const char *word[DARSHAN_CONFIG_WORDS];
};

struct darshan_name_rules { /* NAME_EXCLUDE or NAME_INCLUDE of the file */
  int count;
  struct {
    struct darshan_module_set modules;
    const char *pattern;
    struct pattern compiled;
  } rule[DARSHAN_CONFIG_NAMES];
};

/* All strings point into arena, so a program that overwrites its environment
 * (as those do that change their title) changes nothing here.  Read-only after
 * darshan_config_load.  About 30 KiB, but pages of settings that are not used
 * are not touched: keep it in zero-filled static memory. */
struct darshan_config {
  /* Is anything to be done at all? */
  bool disabled;     /* by DARSHAN_DISABLE or the file of an administrator: nothing else was
                        looked at */
  bool app_excluded; /* an APP_EXCLUDE matches and no APP_INCLUDE */
  bool left_out;     /* the job is not in the sample */
  bool nonmpi;       /* instrument programs without MPI */
  bool launcher;     /* it starts a job and is none */
  int64_t sample;    /* one job in so many */

  /* How. */
  bool dump;
  bool internal_timing;
  bool hdf5_storage;     /* ask datasets where their data lies, when they close */
  bool collectives_meet; /* a barrier before MPI's collectives, to measure who waits */
  bool mpi_files;        /* record what MPI libraries keep for themselves, too */
  bool program_files;    /* each file of a program has a record of its own */
  bool no_reduction;     /* keep one record per rank of shared files */
  bool dxt;              /* DXT_ENABLE_IO_TRACE; already part of modules */
  bool dxt_threads;      /* traces say which thread made a transfer */
  bool job_tree;         /* one log for a tree of processes */
  bool logpath_dated;    /* logs go to year/month/day below logpath */
  enum darshan_choice dated_wanted;
  struct darshan_module_set modules;                           /* those that are on */
  struct darshan_module_set modules_disabled, modules_enabled; /* as the user said */
  struct darshan_module_set records_asked;                     /* MAX_RECORDS names them */
  uint64_t modmem, namemem;                                    /* bytes */
  int64_t mem_alignment;                                       /* bytes, at least 1 */
  double small_io_trigger, unaligned_io_trigger;               /* fraction; negative: off */

  /* Where to. */
  const char *logfile;      /* exact path of the log; NULL: a name is made */
  int64_t logfile_pid;      /* the process whose log has that path; 0: nobody said */
  const char *logpath;      /* folder for logs, absolute, never NULL */
  const char *mmap_logpath; /* folder for journals, absolute, never NULL */
  const char *hints;        /* MPI-IO hints "k=v;k=v"; NULL: not set, "": none */

  /* Who. */
  const char *exe;             /* last component of argv[0], never NULL */
  const char *user;            /* LOGNAME; NULL: take the effective uid */
  const char *home;            /* HOME or NULL */
  const char *timezone;        /* TZ or NULL */
  const char *launcher_folder; /* where PMIx keeps what launcher and ranks share, or NULL */
  const char *config_path;     /* file that was read, or NULL */
  const char *jobid_variable;  /* never NULL */
  bool has_jobid;              /* false: the process id is the job id */
  int64_t jobid;
  int64_t launched_rank, launched_size; /* as a launcher said; size 0: not how many */
  const char *launched_by;              /* which one; NULL: none */
  const char *launch;                   /* what names the job for it, or "" */

  uint32_t max_records[DARSHAN_MODULE_IDS]; /* records; KiB for the DXT modules */
  size_t arena_used;

  /* Reset one by one, not cleared: see above. */
  char arena[DARSHAN_CONFIG_ARENA]; /* first, since its beginning is used by every process */
  struct darshan_rank_ranges rank_exclude, rank_include;
  struct darshan_words app_exclude, app_include, launchers;
  struct darshan_words program_trees; /* beside those of names/program-trees.def */
  struct darshan_words filter_calls;  /* what may be called under an inherited filter */
  struct darshan_name_rules name_exclude, name_include;
};

/* Fills config from defaults, the file that DARSHAN_CONFIG_PATH names, and
 * envp.  argv is the program's (may be NULL).  Problems go to messages, which
 * the caller has zeroed; a bad setting is then left as it was.  Safe in the
 * first constructor of a process; maps memory only for patterns. */
void darshan_config_load(struct darshan_config *config, char **envp, int argc, char **argv,
                         struct darshan_messages *messages);

/* Gives back what patterns took: for programs that load more than once. */
void darshan_config_release(struct darshan_config *config);

/* Writes the effective settings to fd in the syntax of a configuration file;
 * what a file cannot say is in comment lines. */
void darshan_config_dump(const struct darshan_config *config, int fd);

/* True if this process is to be instrumented, MPI or not. */
static inline bool darshan_config_active(const struct darshan_config *config) {
  return !config->disabled && !config->app_excluded && !config->left_out;
}

/* One job in so many: those whose job id that number divides.  The same answer on
 * every rank, and an administrator can tell it beforehand. */
static inline bool darshan_job_in_sample(const struct darshan_config *config, int64_t jobid) {
  return config->sample <= 1 || jobid % config->sample == 0;
}

static inline bool darshan_module_on(const struct darshan_config *config, int module_id) {
  return darshan_module_set_has(&config->modules, module_id);
}

/* True if no records are wanted from this rank. */
bool darshan_rank_excluded(const struct darshan_config *config, int64_t rank);

/* Those of this process. */
extern struct darshan_config darshan_config __attribute__((visibility("hidden")));

#endif
