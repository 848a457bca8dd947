/* Simulates a job of many ranks in one process without MPI, and prints how many ranks failed to
 * write the log or, with --clock, the cost of writing it. With --each it also writes a log for each
 * rank, from which a test computes the expected log of all ranks. Exit status 1: a rank failed. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../runtime/job/text/jobtext.h"
#include "../../runtime/log/save.h"
#include "../../util/merge/player.h"
#include "synthetic.h"

/* The simulated job: the records of its ranks, the limits, and the message that is lost. */
struct play {
  struct synthetic synthetic;
  struct synthetic_content content; /* of the rank in progress */
  struct darshan_config config;
  struct reduce_limits limits;
  int keep_ranks;
  const char *each;
  int lost_from, lost_to, lost_number; /* the message that is lost */
  char final[DARSHAN_PATH_ROOM];
};

/* Writes the job region of a log to `out`. start, end: seconds since 1970. Returns its size in
 * bytes. */
static size_t job_region(int ranks, double start, double end, char *out) {
  struct darshan_job job = {.uid = 1,
                            .start_time_sec = (int64_t)start,
                            .end_time_sec = (int64_t)end,
                            .nprocs = ranks,
                            .jobid = 7,
                            .metadata = "lib_ver=synthetic\n"};
  static const char text[] = "play\nnone\t/";
  memcpy(out, &job, sizeof(job));
  memcpy(out + sizeof(job), text, sizeof(text));
  return sizeof(job) + sizeof(text);
}

/* Gives the content of the current rank's log to the reduction. */
static int content(void *context, const struct facts *agreed, struct log_content *content) {
  struct play *play = context;
  (void)agreed;
  *content = play->content.content;
  return 0;
}

/* Gives the job region to the reduction, with the times on which the ranks agreed. */
static size_t job(void *context, const struct facts *agreed, char *out) {
  struct play *play = context;
  return job_region(play->synthetic.ranks, (double)agreed->times.start_sec,
                    (double)agreed->times.end_sec, out);
}

/* Makes the data of a rank and stores it in *source for the reduction. Returns 0, or -1 on failure.
 * The ranks are on two nodes; rank 1 starts first, and the last rank ends last. */
static int open_rank(void *context, int rank, struct reduce_source *source) {
  struct play *play = context;
  synthetic_make(&play->content, &play->synthetic, rank);
  const struct log_content *made = &play->content.content;
  *source = (struct reduce_source){.context = play,
                                   .rank = rank,
                                   .nprocs = play->synthetic.ranks,
                                   .keep_ranks = play->keep_ranks,
                                   .limits = play->limits,
                                   .host = rank % 2 ? "odd.cluster" : "even.cluster",
                                   .names = made->names,
                                   .names_length = made->names_length,
                                   .bytes = made->names_length,
                                   .times = {rank == 1 ? 1000 : 1001, 0, 2000 + rank, 0, rank},
                                   .content = content,
                                   .job = job,
                                   .config = &play->config,
                                   .identity = {.jobid = 7, .pid = 1},
                                   .final_path = play->final};
  return 0;
}

/* Frees the records of a rank. */
static void close_rank(void *context, int rank, struct reduce_source *source) {
  struct play *play = context;
  (void)rank;
  (void)source;
  synthetic_free(&play->content);
}

/* Returns 1 if a message from one rank to another is the one to lose, otherwise 0. */
static int lose(void *context, int from, int to) {
  struct play *play = context;
  return from == play->lost_from && to == play->lost_to && play->lost_number-- == 0;
}

/* Writes a log for each rank. */
static void write_each(struct play *play) {
  char job[DARSHAN_JOB_REGION_MAX], path[DARSHAN_PATH_ROOM];
  for (int rank = 0; rank < play->synthetic.ranks; rank++) {
    struct log_draft draft;
    struct darshan_config config = {.logfile = path, .logpath = "", .exe = ""};
    struct darshan_log_identity identity = {.jobid = 7, .pid = rank};
    snprintf(path, sizeof(path), "%s/%d.darshan", play->each, rank);
    synthetic_make(&play->content, &play->synthetic, rank);
    play->content.content.job = job;
    play->content.content.job_length = job_region(play->synthetic.ranks, 1000, 2000, job);
    if (log_compose(&draft, &play->content.content) < 0 ||
        log_save(&draft, &config, &identity, 0, play->final) < 0)
      abort();
    log_draft_drop(&draft);
    synthetic_free(&play->content);
  }
}

/* Prints the cost of writing the log: the seconds of the slowest rank, and the largest processor
 * time, traffic and message size of any rank. */
static void print_clocks(const struct player_clock *clocks, int ranks) {
  struct player_clock most = {0, 0, 0, 0, 0};
  for (int i = 0; i < ranks; i++) {
    const struct player_clock *c = &clocks[i];
    if (c->now > most.now) most.now = c->now;
    if (c->busy > most.busy) most.busy = c->busy;
    if (c->sent + c->received > most.sent) most.sent = c->sent + c->received;
    if (c->largest > most.largest) most.largest = c->largest;
  }
  printf("ranks %d seconds %.6f busiest %.6f traffic %llu message %llu\n", ranks, most.now,
         most.busy, (unsigned long long)most.sent, (unsigned long long)most.largest);
}

/* Prints the options. Returns the exit status. */
static int usage(void) {
  fputs("usage: play --ranks N [--shared N] [--own N] [--part N] [--posix] [--keep-ranks]\n"
        "  [--streams BYTES] [--candidates BYTES] [--lose FROM,TO,NUMBER] [--each FOLDER]\n"
        "  [--clock SECONDS_PER_MESSAGE] LOG\n",
        stderr);
  return 2;
}

/* Reads the options into *play. per_message: set to the seconds of --clock. Returns 0; -1 if an
 * option is wrong. */
static int read_options(struct play *play, double *per_message, int argc, char **argv) {
  static const struct option names[] = {
      {"ranks", 1, NULL, 'r'},   {"shared", 1, NULL, 's'},     {"own", 1, NULL, 'o'},
      {"part", 1, NULL, 'p'},    {"posix", 0, NULL, 'x'},      {"keep-ranks", 0, NULL, 'k'},
      {"streams", 1, NULL, 'S'}, {"candidates", 1, NULL, 'C'}, {"lose", 1, NULL, 'l'},
      {"each", 1, NULL, 'e'},    {"clock", 1, NULL, 'c'},      {NULL, 0, NULL, 0}};
  int code;
  while ((code = getopt_long(argc, argv, "", names, NULL)) != -1) {
    if (code == 'r') play->synthetic.ranks = atoi(optarg);
    if (code == 's') play->synthetic.shared = atoi(optarg);
    if (code == 'o') play->synthetic.own = atoi(optarg);
    if (code == 'p') play->synthetic.part = atoi(optarg);
    if (code == 'x') play->synthetic.posix_alone = 1;
    if (code == 'k') play->keep_ranks = 1;
    if (code == 'S') play->limits.streams = (size_t)atol(optarg);
    if (code == 'C') play->limits.candidates = (size_t)atol(optarg);
    if (code == 'e') play->each = optarg;
    if (code == 'c') *per_message = atof(optarg);
    if (code == 'l' &&
        sscanf(optarg, "%d,%d,%d", &play->lost_from, &play->lost_to, &play->lost_number) != 3)
      return -1;
    if (code == '?') return -1;
  }
  return play->synthetic.ranks > 0 && optind == argc - 1 ? 0 : -1;
}

int main(int argc, char **argv) {
  static struct play play = {.limits = {4 << 20, 16 << 20}, .lost_from = -1};
  double per_message = -1;
  if (read_options(&play, &per_message, argc, argv) < 0) return usage();
  int ranks = play.synthetic.ranks, failed = 0;
  signed char *statuses = calloc((size_t)ranks, 1);
  struct player_clock *clocks = calloc((size_t)ranks, sizeof(*clocks));
  struct player player = {.size = ranks,
                          .context = &play,
                          .open = open_rank,
                          .close = close_rank,
                          .lose = lose,
                          .clocks = per_message >= 0 ? clocks : NULL,
                          .seconds_per_message = per_message};
  if (!statuses || !clocks) return 1;
  play.config.logfile = argv[optind];
  play.config.logpath = play.config.exe = "";
  if (play.each) write_each(&play);
  player_run(&player, statuses);
  for (int rank = 0; rank < ranks; rank++)
    failed += statuses[rank] != 0;
  if (player.clocks)
    print_clocks(clocks, ranks);
  else
    printf("%d of %d ranks failed\n", failed, ranks);
  free(statuses);
  free(clocks);
  return failed > 0;
}
