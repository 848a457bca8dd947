/* One log of processes, in memory from their parts to the file. */
#ifndef DARSHAN_MERGE_ONE_LOG_H
#define DARSHAN_MERGE_ONE_LOG_H

#include "../../../runtime/job/config.h"
#include "../../../runtime/names/path-buffers.h"
#include "../dropped.h"
#include "combine.h"
#include "ends.h"
#include "folder.h"
#include "ranks.h"
#include "world.h"

struct run_options {
  const char *folder;
  const char *output;  /* the log; NULL: a name is made */
  const char *logs;    /* ... in this folder */
  const char *command; /* command line of a top that left no part; NULL: not known */
  int numbered;        /* where output is taken, a number is put behind it */
  int dated;           /* below logs are folders of years, months and days */
  int keep;            /* parts stay */
  int fold;            /* parts of processes that will share ranks are made one of */
  int ask;             /* ... and no log is made: is there one to be made? */
  int print;           /* the log's path goes to standard output */
  int keep_ranks;      /* no record is combined */
  const char *from;    /* what stands before a path that was given from here; "" */
};

struct one_log { /* zeroed before its first use */
  const struct run_options *options;
  struct run_folder folder;
  struct run_tree tree;
  struct run_ranks ranks;
  struct combined combined;
  struct part part;
  int64_t start_ns, end_ns;
  struct heat_grid grid;          /* known when all ranks were asked for their times */
  int alone;                      /* the log is one process's, who came after that of all */
  struct run_world world;         /* known then, too */
  struct dropped dropped;         /* by all processes; known then, too */
  struct ends_missed missed;      /* by those that ended the run; known then, too */
  int left_out;                   /* parts that cannot be read */
  char damaged[256];              /* the first of them */
  const struct run_part *speaker; /* the part that speaks for the run: of the top, if it left one */
  int speaker_rank;
  char exe[256]; /* the top's name, and its command line */
  char command[DARSHAN_JOB_REGION_MAX];
  char beside[PATH_MAX]; /* a folder */
  uint64_t begun_ns;
  struct darshan_job job;
  struct darshan_config config;
  char final[DARSHAN_PATH_ROOM]; /* the log */
};

/* Of the ranks, which are not none.  0, or -1 after a line. */
int one_log_make(struct one_log *run);
void one_log_free(struct one_log *run);

#endif
