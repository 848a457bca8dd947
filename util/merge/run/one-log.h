/* Makes one log from the parts of processes. */
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

struct run_options {
  const char *folder;
  const char *output;  /* the log; NULL: a name is made */
  const char *logs;    /* folder for these logs; NULL: the folder of output */
  const char *command; /* command line of a root process without part; NULL: not known */
  int numbered;        /* if output exists, a number is appended */
  int dated;           /* logs has folders of years, months and days */
  int keep;            /* parts are not removed */
  int fold;            /* only combines parts of processes that share ranks (fold.c) */
  int ask;             /* makes no log and only reports whether there is one to make */
  int print;           /* prints the log's path on standard output */
  int keep_ranks;      /* does not reduce records of shared files */
  const char *from;    /* the working folder with a slash, if paths were relative; "" */
};

struct one_log { /* zeroed before its first use */
  const struct run_options *options;
  struct run_folder folder;
  struct run_tree tree;
  struct run_ranks ranks;
  struct combined combined;
  struct part part;
  int64_t start_ns, end_ns;
  struct heat_grid grid;     /* set once the times of all ranks are known */
  int alone;                 /* the log is that of one process, which ended after the run's log */
  struct run_world world;    /* counted at the same time */
  struct dropped dropped;    /* sums of all processes */
  struct ends_missed missed; /* failed lookups of the processes that ended the run */
  int left_out;              /* number of unreadable parts */
  char damaged[256];         /* names of the first of them */
  const struct run_part *speaker; /* has the run's job record: rank 0's, if there is one */
  int speaker_rank;
  char exe[256]; /* of the root process: program, command line */
  char command[DARSHAN_JOB_REGION_MAX];
  char beside[PATH_MAX]; /* the folder of output */
  uint64_t begun_ns;
  struct darshan_job job;
  struct darshan_config config;
  char final[DARSHAN_PATH_ROOM]; /* path of the log */
};

/* Makes the log of a run that has at least one rank. Returns 0, or -1 after a message. */
int one_log_make(struct one_log *run);
void one_log_free(struct one_log *run);

#endif
