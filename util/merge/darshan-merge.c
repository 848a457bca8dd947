/* Implements the command darshan-merge, which makes one log of a job from the journals or logs of
 * its ranks. */
#include <config.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../runtime/format/apmpi.h"
#include "../../runtime/log/ranks/facts.h"
#include "../reader/called.h"
#include "content.h"
#include "job/one-job.h"
#include "journals.h"
#include "metadata.h"
#include "player.h"
#include "run/merge-run.h"
#include "target.h"

static const char usage[] =
    "usage: darshan-merge [OPTION...] JOURNAL...|LOG...|FOLDER\n"
    "  makes one log of a job from the journals that its processes left, from a log of each\n"
    "  node that was made from such journals, or from the logs of processes that a launcher\n"
    "  (srun, torchrun, mpirun) started in parallel without MPI; FOLDER means all journals,\n"
    "  or all such logs, in it\n"
    "  -o, --output FILE     the log [darshan-merge.darshan]; never replaces a file; - is\n"
    "                        standard output\n"
    "  --shared-redux        combine the records of files that ranks share (default, unless\n"
    "                        ranks are missing that may be on other nodes)\n"
    "  --no-shared-redux     keep a record per rank\n"
    "  --job-end-time SEC    end of the job, seconds since 1970 [the latest end of its\n"
    "                        processes; of a killed one: the last time in its records]\n"
    "  --remove              remove the journals, or logs, when the log is complete\n"
    "  --job NAME            use only the logs or journals of this job\n"
    "  --logs DIR            make a log of each job in this folder, with a generated name;\n"
    "                        not for journals, which darshan recover -o DIR reads\n"
    "  --version, --help\n"
    "\n"
    "darshan-merge --run FOLDER [-o FILE | --logs DIR] [OPTION...]\n"
    "  makes one log from the files that the processes of a run left in the run's folder, and\n"
    "  removes the folder; exit status 3 if the folder has no records, or if another merger\n"
    "  works in it\n"
    "  --logs DIR            write the log into DIR, with a generated name\n"
    "  --dated               DIR has folders for years, months and days\n"
    "  --command TEXT        command line of the log if the root process left none\n"
    "  --numbered            if FILE exists, the log is FILE.2, FILE.3 and so on\n"
    "  --keep                do not change the folder\n"
    "  --ask                 make nothing; exit status 3 if no log would be made\n"
    "  --print               print the path of the log\n"
    "  --quiet               print nothing else\n"
    "\n"
    "darshan-merge --fold FOLDER\n"
    "  combines the files of ended processes while a run of very many processes goes on\n";

struct options {
  const char *output;
  int keep_ranks;         /* 1: does not reduce records of shared files; -1: no option sets it */
  int remove;             /* 1: removes the journals or logs after the merge */
  int64_t end;            /* end of the job, seconds since 1970; 0: no option gives it */
  const char *job;        /* name of the job; NULL: all files belong to one job */
  struct run_options run; /* run.folder NULL: neither --run nor --fold */
};

/* The state of a merge of journals and node logs. */
struct merge {
  const struct options *options;
  struct journals journals;
  struct darshan_config config;  /* settings from which the log's path is made */
  char final[DARSHAN_PATH_ROOM]; /* path of the log */
  struct target target;
  char more[DARSHAN_JOB_METADATA_LEN]; /* lines that are added to the log's metadata */
  struct journal_content content;      /* content of the rank that is open */
  struct node_log node;                /* the node log in memory */
  int rank;                            /* index of the open rank's journal */
  int keep_ranks;                      /* 1: does not reduce records of shared files */
  struct darshan_error error;          /* why a journal cannot be read */
};

/* Removes the APMPI head from the records of each rank except the first. Each journal has its own
 * head, but a log has only one. The head of the first rank gets the final variances. part: records
 * of one module, changed only for APMPI. */
static void settle_head(struct log_part *part, const struct facts *agreed, int is_first) {
  struct darshan_apmpi_head head;
  double variances[2];
  if (part->module != DARSHAN_MOD_APMPI || part->length < sizeof(head)) return;
  memcpy(&head, part->records, sizeof(head));
  if (head.magic != APMPI_MAGIC) return;
  if (!is_first) {
    part->records += sizeof(head);
    part->length -= sizeof(head);
    return;
  }
  facts_variances(agreed, variances);
  head.variance_of_time = variances[0];
  head.variance_of_sync_time = variances[1];
  memcpy((char *)(uintptr_t)part->records, &head, sizeof(head)); /* private copy */
}

/* Callback of the reduction: gives the records of the open rank. Returns 0. */
static int content(void *context, const struct facts *agreed, struct log_content *content) {
  struct merge *merge = context;
  *content = merge->content.content;
  for (int i = 0; i < content->num_parts; i++)
    settle_head(&content->parts[i], agreed, merge->rank == agreed->spread.first);
  return 0;
}

/* Returns 1 for a metadata key that is not copied from the first rank's file, because the merged
 * log has its own value; 0 for other keys. */
static int is_of_a_part(const char *key) {
  return strcmp(key, NODE_LOG_KEY) == 0 || strcmp(key, "missing_ranks") == 0 ||
         strcmp(key, "end") == 0 || lookups_is_key(key);
}

/* Callback of the reduction: writes the job region of the log. Returns its length in bytes. */
static size_t job(void *context, const struct facts *agreed, char *out) {
  struct merge *merge = context;
  struct darshan_job job = merge->journals.files[0].job;
  job.nprocs = merge->journals.nprocs;
  job.start_time_sec = agreed->times.start_sec;
  job.start_time_nsec = agreed->times.start_nsec;
  job.end_time_sec = agreed->times.end_sec;
  job.end_time_nsec = agreed->times.end_nsec;
  if (merge->options->end) {
    job.end_time_sec = merge->options->end;
    job.end_time_nsec = 0;
  }
  return journal_job_at(out, merge->journals.files[0].path, job, merge->more, NULL, is_of_a_part);
}

/* Returns start and end of a journal's process. A killed process has no end time, so the latest
 * timestamp of its journal is used. */
static struct facts_times times_of(const struct journal_file *file) {
  struct facts_times times = {file->job.start_time_sec, file->job.start_time_nsec,
                              file->job.end_time_sec, file->job.end_time_nsec, file->last};
  if (times.end_sec == 0 && file->last < 4e9) {
    double whole = floor(file->last);
    times.end_sec = times.start_sec + (int64_t)whole;
    times.end_nsec = times.start_nsec + (int64_t)((file->last - whole) * 1e9);
    if (times.end_nsec >= 1000000000) {
      times.end_nsec -= 1000000000;
      times.end_sec++;
    }
  }
  return times;
}

static int open_rank(void *context, int rank, struct reduce_source *source) {
  struct merge *merge = context;
  const struct journal_file *file = &merge->journals.files[rank];
  int again = source->context != NULL;
  merge->rank = rank;
  int result =
      file->is_part
          ? node_log_rank(&merge->node, file->path, file->rank, &merge->content, &merge->error)
          : journal_content_read(&merge->content, file->path, again, &merge->error);
  if (result < 0) {
    merge_say("%s: %s", file->path, merge->error.text);
    return -1;
  }
  *source = (struct reduce_source){.context = merge,
                                   .rank = file->rank,
                                   .nprocs = merge->journals.nprocs,
                                   .keep_ranks = merge->keep_ranks,
                                   .limits = reduce_default_limits,
                                   .host = "",
                                   .names = merge->content.content.names,
                                   .names_length = merge->content.content.names_length,
                                   .bytes = 1, /* a journal exists only if something was recorded */
                                   .times = times_of(file),
                                   .spread = file->has_talk ? facts_spread_of(file->talk, rank)
                                                            : (struct facts_spread){.ranks = 0},
                                   .content = content,
                                   .job = job,
                                   .config = &merge->config,
                                   .identity = {.jobid = file->job.jobid, .pid = getpid()},
                                   .begun_ns = 0,
                                   .final_path = merge->final};
  return 0;
}

static void close_rank(void *context, int rank, struct reduce_source *source) {
  struct merge *merge = context;
  (void)rank;
  (void)source;
  journal_content_free(&merge->content);
}

/* Sets the lines that are added to the metadata: a line `end` if a process has no end, the ranks
 * without journal, and the mark of a node log. Also prints the ranks without journal. They may be
 * on another node, whose log is merged with this one later. So if ranks are missing and the job has
 * a number that its ranks share, the log becomes a node log: it keeps separate records of a shared
 * file, unless an option requests the reduction. */
static void say_missing(struct merge *merge) {
  char missing[256], part[64] = "";
  int64_t count = journals_missing(&merge->journals, missing, sizeof(missing));
  uint64_t in_common = 0;
  int unfinished = 0;
  for (int i = 0; i < merge->journals.count; i++) {
    unfinished += merge->journals.files[i].has_no_end;
    if (merge->journals.files[i].in_common) in_common = merge->journals.files[i].in_common;
  }
  merge->keep_ranks = merge->options->keep_ranks > 0;
  if (count && in_common && merge->options->keep_ranks != 0) {
    merge->keep_ranks = 1;
    snprintf(part, sizeof(part), NODE_LOG_KEY "=%" PRIu64 "\n", in_common);
  }
  snprintf(merge->more, sizeof(merge->more), "%s%s%s%s%s",
           unfinished ? "end=not seen; log merged from journals\n" : "",
           count ? "missing_ranks=" : "", missing, count ? "\n" : "", part);
  if (count)
    merge_say("%" PRId64 " of %" PRId64
              " ranks have no journal: they did no I/O, or their journals are lost: %s",
              count, merge->journals.nprocs, missing);
}

/* Adds the failed lookups in the first 64 journals or node logs to the metadata. Journals stay only
 * if a process was killed or failed, and a failed lookup may be the cause. */
static void say_lookups(struct merge *merge) {
  enum { FILES_MOST = 64 };
  struct lookups lookups = {.count = 0};
  struct darshan_error error;
  for (int i = 0; i < merge->journals.count && i < FILES_MOST; i++) {
    darshan_log *log = darshan_log_read(merge->journals.files[i].path, &error);
    if (log) lookups_add(&lookups, log);
    darshan_log_free(log);
  }
  lookups_tell(&lookups, merge->more, sizeof(merge->more), strlen(merge->more));
}

/* Makes the log from the journals. Returns the exit status: 0, or 1 after a message. */
static int run(struct merge *merge) {
  struct player player = {
      .size = merge->journals.count, .context = merge, .open = open_rank, .close = close_rank};
  if (journals_sort(&merge->journals) < 0) return 1;
  if (target_open(&merge->target, merge->options->output) < 0) return 1;
  merge->config.logfile = merge->target.path;
  merge->config.exe = merge->config.logpath = "";
  say_missing(merge);
  say_lookups(merge);
  int made = player_run(&player, NULL) == 0;
  if (!made && !merge->error.text[0]) merge_say_unwritten(merge->options->output);
  if (target_close(&merge->target, made) < 0) return 1;
  for (int i = 0; merge->options->remove && i < merge->journals.count; i++)
    if (unlink(merge->journals.files[i].path) < 0 &&
        !(errno == ENOENT && merge->journals.files[i].is_part)) /* removed with a rank */
      merge_say("cannot remove the journal %s: %s", merge->journals.files[i].path, strerror(errno));
  return 0;
}

/* Returns the number in the text; -1 if it is not a positive integer. */
static int64_t seconds(const char *text) {
  char *end;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  return *end || end == text || errno || value <= 0 ? -1 : value;
}

enum {
  REDUX = 256,
  NO_REDUX,
  END,
  REMOVE,
  RUN,
  LOGS,
  DATED,
  NUMBERED,
  KEEP,
  ASK,
  FOLD,
  PRINT,
  QUIET,
  COMMAND,
  JOB
};

static const struct option names[] = {{"output", required_argument, NULL, 'o'},
                                      {"shared-redux", no_argument, NULL, REDUX},
                                      {"no-shared-redux", no_argument, NULL, NO_REDUX},
                                      {"job-end-time", required_argument, NULL, END},
                                      {"remove", no_argument, NULL, REMOVE},
                                      {"job", required_argument, NULL, JOB},
                                      {"run", required_argument, NULL, RUN},
                                      {"logs", required_argument, NULL, LOGS},
                                      {"dated", no_argument, NULL, DATED},
                                      {"numbered", no_argument, NULL, NUMBERED},
                                      {"command", required_argument, NULL, COMMAND},
                                      {"keep", no_argument, NULL, KEEP},
                                      {"ask", no_argument, NULL, ASK},
                                      {"fold", required_argument, NULL, FOLD},
                                      {"print", no_argument, NULL, PRINT},
                                      {"quiet", no_argument, NULL, QUIET},
                                      {"version", no_argument, NULL, 'V'},
                                      {"help", no_argument, NULL, 'h'},
                                      {NULL, 0, NULL, 0}};

/* Stores an option of --run. Returns 1; 0 if the option does not belong to --run. */
static int read_run_option(struct run_options *run, int code) {
  switch (code) {
  case RUN:
    run->folder = optarg;
    return 1;
  case FOLD:
    run->folder = run->logs = optarg;
    return run->fold = 1;
  case LOGS:
    run->logs = optarg;
    return 1;
  case COMMAND:
    run->command = optarg;
    return 1;
  case DATED:
    return run->dated = 1;
  case NUMBERED:
    return run->numbered = 1;
  case KEEP:
    return run->keep = 1;
  case ASK:
    return run->keep = run->ask = 1;
  case PRINT:
    return run->print = 1;
  case QUIET:
    return merge_quiet = 1;
  default:
    return 0;
  }
}

enum { HELP = 1, VERSION_ };

/* Reads the options. Returns 0; HELP or VERSION_ if the user requested these; -1 after a usage
 * error. */
static int read_options(struct options *options, int argc, char **argv) {
  int code;
  while ((code = getopt_long(argc, argv, "o:h", names, NULL)) != -1) {
    if (code == 'o')
      options->output = options->run.output = optarg;
    else if (code == REDUX || code == NO_REDUX)
      options->keep_ranks = options->run.keep_ranks = code == NO_REDUX;
    else if (code == REMOVE)
      options->remove = 1;
    else if (code == JOB)
      options->job = optarg;
    else if (code == END && (options->end = seconds(optarg)) > 0)
      continue;
    else if (!read_run_option(&options->run, code))
      return code == 'h' ? HELP : code == 'V' ? VERSION_ : -1;
  }
  if (options->run.folder) /* --run takes one destination and no other input */
    return optind == argc && !options->run.output == !!options->run.logs ? 0 : -1;
  return optind < argc ? 0 : -1;
}

static int run_job(const struct options *options, char *const *paths, int count) {
  struct job_options job = {.output = options->output,
                            .logs = options->run.logs,
                            .job = options->job,
                            .keep_ranks = options->keep_ranks > 0,
                            .remove = options->remove,
                            .print = options->run.print,
                            .end = options->end};
  return merge_job(&job, paths, count);
}

/* Returns 1 if --job selects a job and one of the paths has a node log of this job, otherwise 0.
 * The other paths may be logs that name a launcher. Prints nothing. */
static int is_of_nodes(const struct options *options, char *const *paths, int count) {
  struct journals journals = {.job = options->job};
  int parts = 0;
  if (!options->job) return 0;
  merge_quiet++;
  for (int i = 0; i < count; i++)
    journals_add(&journals, paths[i]);
  merge_quiet--;
  for (int i = 0; i < journals.count; i++)
    parts += journals.files[i].is_part;
  journals_free(&journals);
  return parts > 0;
}

int main(int argc, char **argv) {
  struct options options = {.output = "darshan-merge.darshan", .keep_ranks = -1};
  static struct merge merge;
  int result = read_options(&options, argc, argv);
  if (result == VERSION_) puts("darshan-merge " PACKAGE_VERSION);
  if (result == VERSION_) return written(stdout, "darshan-merge", 0);
  if (result != 0) {
    called_usage(result > 0 ? stdout : stderr, usage, "darshan-merge");
    return result > 0 ? written(stdout, "darshan-merge", 0) : 2;
  }
  if (options.run.folder) return written(stdout, "darshan-merge", merge_run(&options.run));
  if (merge_job_is_meant(argv + optind, argc - optind) &&
      !is_of_nodes(&options, argv + optind, argc - optind))
    return written(stdout, "darshan-merge", run_job(&options, argv + optind, argc - optind));
  memset(&merge, 0, sizeof(merge));
  merge.options = &options;
  merge.journals.job = options.job;
  for (int i = optind; result == 0 && i < argc; i++)
    result = journals_add(&merge.journals, argv[i]) < 0;
  if (result == 0 && options.run.logs) {
    merge_say("--logs is not for journals: use -o FILE, or `darshan recover`, which names the log");
    result = 2;
  }
  if (result == 0) result = run(&merge);
  journals_free(&merge.journals);
  node_log_free(&merge.node);
  return result;
}
