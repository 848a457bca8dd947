/* Declares the functions that make one log from the parts of processes. */
#ifndef DARSHAN_MERGE_ONE_LOG_H
#define DARSHAN_MERGE_ONE_LOG_H

#include "../../../runtime/job/config/config.h"
#include "../../../runtime/names/path-buffers.h"
#include "../metadata.h"
#include "folder.h"
#include "processes/ends.h"
#include "processes/launch-ranks.h"
#include "processes/ranks.h"
#include "records/combine.h"

struct run_options {   /* options of darshan-merge --run */
  const char *folder;  /* the run directory */
  const char *output;  /* path of the log; NULL: a name is generated */
  const char *logs;    /* folder for generated names; NULL: the folder of `output` */
  const char *command; /* command line of a root process without part; NULL: unknown */
  int numbered;        /* 1: if `output` exists, a number is appended */
  int dated;           /* 1: `logs` has folders of years, months and days */
  int keep;            /* 1: parts are not removed */
  int fold;            /* 1: only combines parts of processes that share ranks (fold.c) */
  int ask;             /* 1: makes no log and only reports whether a log would be made */
  int print;           /* 1: prints the path of the log on standard output */
  int keep_ranks;      /* 1: does not reduce records of shared files */
  const char *from;    /* working folder with a slash, if paths were relative; otherwise "" */
};

struct one_log { /* zeroed before its first use */
  const struct run_options *options;
  struct run_folder folder;
  struct run_tree tree;     /* processes and parts of the run */
  struct run_ranks ranks;   /* ranks of the log, and their processes */
  struct combined combined; /* records of the rank that is read now */
  struct part part;         /* records of the part that is read now */
  int64_t start_ns, end_ns; /* of the run, on the clock of its first host, since the epoch */
  struct heat_grid grid;    /* set once the times of all ranks are known */
  int alone; /* 1: the log describes one process, which ended after the run's log was made */
  struct run_world world;         /* launcher's ranks, counted while parts are read */
  struct dropped dropped;         /* sums of dropped events of all processes */
  struct ends_missed missed;      /* failed lookups of the processes that ended the run */
  int left_out;                   /* number of unreadable parts */
  char damaged[256];              /* names of the first of them */
  const struct run_part *speaker; /* part with the run's job record; rank 0's part if it exists */
  int speaker_rank;               /* rank of the speaker's process */
  char exe[256];                  /* program name and command line of the root process */
  char command[DARSHAN_JOB_REGION_MAX];
  char beside[PATH_MAX];         /* folder of `output` */
  uint64_t begun_ns;             /* start of the merge, monotonic clock */
  struct darshan_job job;        /* job record of the speaker; without one, made from the rows */
  struct darshan_config config;  /* settings from which the log's path is made */
  char final[DARSHAN_PATH_ROOM]; /* path of the log */
};

/* Makes the log of the processes in run->ranks, at least one. The caller has set options, folder,
 * tree, ranks and alone. Sets run->final. Returns 0, or -1 after a message. */
int one_log_make(struct one_log *run);
void one_log_free(struct one_log *run);

#endif
