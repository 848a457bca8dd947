/* One log from the folder of a run. */
#ifndef DARSHAN_MERGE_ONE_LOG_H
#define DARSHAN_MERGE_ONE_LOG_H

struct run_options {
  const char *folder;
  const char *output; /* the log; NULL: a name is made */
  const char *logs;   /* ... in this folder */
  int numbered;       /* where output is taken, a number is put behind it */
  int dated;          /* below logs are folders of years, months and days */
  int keep;           /* parts stay */
  int print;          /* the log's path goes to standard output */
  int keep_ranks;     /* no record is combined */
};

enum run_result { RUN_LOGGED = 0, RUN_FAILED = 1, RUN_NOTHING = 3 };

/* NOTHING: there is nothing to be merged, or somebody else does it. */
enum run_result run_to_log(const struct run_options *options);

#endif
