/* The main program of the harness: performs each action during each kind of call, at each point of
 * the runtime or at a sample of the points. */
#include "driver.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "target.h"

struct options {
  const char *program, *runtime, *folder, *kinds, *actions, *state;
  unsigned workers, share; /* share: tests one of `share` points */
  unsigned seed;
  const char *one; /* a point to repeat, for one kind and action; NULL: none */
};

/* Totals, in memory that the worker processes share: processes stopped at their point, points that
 * a process did not reach, failures, different instructions, and points before the sample is
 * drawn. */
struct tally {
  unsigned long runs, missed, failed, addresses, points;
};
static struct tally *tally;

static void report(const char *kind, int action, const struct point *point, const char *why) {
  __atomic_add_fetch(&tally->failed, 1, __ATOMIC_RELAXED);
  printf("FAILED %s %c %#x %u,%#x,%u: %s\n", kind, action, point->address, point->n, point->gate,
         point->gate_n, why);
  fflush(stdout);
}

static void run_point(const struct judge *judge, const struct place *place, const char *kind,
                      const struct trace *trace, const struct point *point) {
  const uint64_t *code = trace->code;
  struct process process;
  struct result result;
  char why[512];
  result_clean(place);
  if (process_start(&process, place, kind, judge->action) < 0) {
    report(kind, judge->action, point, "the program did not start");
    return;
  }
  enum stop stop = STOP_POINT;
  if (point->gate_n) stop = process_go_to(&process, code[0] + point->gate, point->gate_n);
  if (stop == STOP_POINT) stop = process_go_to(&process, code[0] + point->address, point->n);
  if (stop != STOP_POINT) {
    __atomic_add_fetch(&tally->missed, 1, __ATOMIC_RELAXED);
    process_kill(&process);
    return;
  }
  __atomic_add_fetch(&tally->runs, 1, __ATOMIC_RELAXED);
  if (let_happen(&process, judge->action) < 0) {
    report(kind, judge->action, point, "it hangs");
    if (getenv("INTERRUPT_HOLD")) {
      printf("process %d is held\n", process.pid);
      fflush(stdout);
      sleep(600);
    }
    process_kill(&process);
    return;
  }
  /* A process that loses its exit path to a jump, a cancellation or SIGKILL writes no log: only the
   * journal remains. */
  int torn = judge->action == ACTION_JUMP || judge->action == ACTION_CANCEL;
  torn = judge->action == ACTION_KILL || (torn && !judge->have[AFTER_CALL]);
  const char *known = known_words(kind, judge->action);
  result_read(&result, place, process.status, torn, known);
  int right = judge_says(judge, &result, why, sizeof(why)) && !result.said;
  if (!right && known) right = is_of_the_library(&result, place, kind, judge->action, trace);
  if (!right) report(kind, judge->action, point, result.said ? known : why);
  result_free(&result);
}

/* Returns 1 if point i belongs to the sample, otherwise 0. The sample is the same in every worker
 * process. */
static int chosen(const struct options *options, size_t i) {
  uint32_t hash = ((uint32_t)i + 1) * 2654435761u ^ (options->seed + 1) * 2246822519u;
  hash = (hash ^ hash >> 15) * 3266489917u;
  return (hash ^ hash >> 13) % options->share == 0;
}

static void work(const struct options *options, unsigned worker, const char *kind, int action,
                 const struct trace *trace, const struct points *points) {
  struct place place;
  struct judge judge;
  place_make(&place, options->folder, options->program, options->runtime, worker);
  if (take_references(&judge, &place, kind, action) < 0) {
    struct point none = {0};
    report(kind, action, &none, "a reference could not be taken");
    return;
  }
  unsigned turn = 0;
  for (size_t i = 0; i < points->count; i++)
    if (chosen(options, i) && turn++ % options->workers == worker)
      run_point(&judge, &place, kind, trace, &points->point[i]);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void run_action(const struct options *options, const char *kind, int action,
                       const struct trace *trace) {
  struct points points;
  struct tally before = *tally;
  double start = now();
  points_choose(&points, trace, action != ACTION_KILL);
  fflush(stdout);
  for (unsigned worker = 0; worker < options->workers; worker++)
    if (fork() == 0) {
      prctl(PR_SET_CHILD_SUBREAPER, 1);
      work(options, worker, kind, action, trace, &points);
      fflush(stdout);
      _exit(0);
    }
  while (wait(NULL) > 0)
    ;
  tally->addresses += points.addresses;
  tally->points += points.count;
  printf("%s %c: %zu addresses, %zu points, %lu runs, %lu not reached, %lu failed, %.1f s\n", kind,
         action, points.addresses, points.count, tally->runs - before.runs,
         tally->missed - before.missed, tally->failed - before.failed, now() - start);
  fflush(stdout);
  free(points.point);
}

/* Returns the trace for an action, which is recorded at the first use; NULL if that fails, after a
 * message. A thread that is cancelled executes other instructions, so cancellation has a separate
 * trace. */
static const struct trace *trace_for(struct trace traces[2], const struct options *options,
                                     const char *kind, int action) {
  struct place place;
  struct trace *trace = &traces[action == ACTION_CANCEL];
  if (trace->length) return trace;
  double start = now();
  place_make(&place, options->folder, options->program, options->runtime, 0);
  if (trace_take(trace, &place, kind, action) < 0) {
    printf("FAILED %s %c: no trace\n", kind, action);
    tally->failed++;
    return NULL;
  }
  printf("%s: the call executes %zu instructions of the runtime, %.1f s\n", kind, trace->length,
         now() - start);
  return trace;
}

static void run_one(const struct options *options) {
  struct trace trace;
  struct place place;
  struct judge judge;
  struct point point = {0};
  sscanf(options->one, "%x:%u,%x,%u", &point.address, &point.n, &point.gate, &point.gate_n);
  place_make(&place, options->folder, options->program, options->runtime, 0);
  if (trace_take(&trace, &place, options->kinds, options->actions[0]) < 0 ||
      take_references(&judge, &place, options->kinds, options->actions[0]) < 0)
    return;
  run_point(&judge, &place, options->kinds, &trace, &point);
  trace_free(&trace);
}

static void add_tally(const struct tally *more, const struct tally *less) {
  tally->runs += more->runs - less->runs;
  tally->missed += more->missed - less->missed;
  tally->failed += more->failed - less->failed;
  tally->addresses += more->addresses - less->addresses;
  tally->points += more->points - less->points;
}

/* Reads the results of an earlier run of the harness from the file `state`, and adds them to the
 * tally. Returns 1, or 0 if there are none. */
static int known(const char *state) {
  struct tally found = {0}, nothing = {0};
  FILE *file = fopen(state, "r");
  int all = file && fscanf(file, "%lu %lu %lu %lu %lu", &found.runs, &found.missed, &found.failed,
                           &found.addresses, &found.points) == 5;
  if (file) fclose(file);
  if (all) add_tally(&found, &nothing);
  return all;
}

static void remember(const char *state, const struct tally *before) {
  FILE *file = fopen(state, "w");
  if (!file) return;
  fprintf(file, "%lu %lu %lu %lu %lu\n", tally->runs - before->runs, tally->missed - before->missed,
          tally->failed - before->failed, tally->addresses - before->addresses,
          tally->points - before->points);
  fclose(file);
}

static void run_kind(const struct options *options, const char *kind) {
  struct trace traces[2] = {0};
  char state[PATH_MAX];
  for (const char *action = options->actions; *action; action++) {
    snprintf(state, sizeof(state), "%s/%s-%c", options->state ? options->state : "", kind, *action);
    if (options->state && known(state)) continue;
    const struct trace *trace = trace_for(traces, options, kind, *action);
    struct tally before = *tally;
    if (!trace) continue;
    run_action(options, kind, *action, trace);
    if (options->state) remember(state, &before);
  }
  trace_free(&traces[0]);
  trace_free(&traces[1]);
}

/* Runs each kind of call that the option names: "read,write" with all actions, or "read:ab,write:f"
 * with the actions of these letters. */
static void each_kind(struct options *options) {
  char kinds[4096];
  const char *all = options->actions;
  snprintf(kinds, sizeof(kinds), "%s", options->kinds);
  for (char *kind = strtok(kinds, ","); kind; kind = strtok(NULL, ",")) {
    char *colon = strchr(kind, ':');
    if (colon) *colon = '\0';
    options->actions = colon ? colon + 1 : all;
    run_kind(options, kind);
  }
}

int main(int argc, char **argv) {
  struct options options = {.workers = 1, .share = 1, .actions = ACTION_LETTERS};
  for (int c; (c = getopt(argc, argv, "p:r:f:k:a:s:w:n:S:1:")) != -1;) {
    if (c == 'p') options.program = optarg;
    if (c == 'r') options.runtime = optarg;
    if (c == 'f') options.folder = optarg;
    if (c == 'k') options.kinds = optarg;
    if (c == 'a') options.actions = optarg;
    if (c == 's') options.state = optarg;
    if (c == 'w') options.workers = (unsigned)atoi(optarg);
    if (c == 'n') options.share = (unsigned)atoi(optarg);
    if (c == 'S') options.seed = (unsigned)strtoul(optarg, NULL, 10);
    if (c == '1') options.one = optarg;
  }
  if (!options.program || !options.runtime || !options.folder || !options.kinds) return 2;
  tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (tally == MAP_FAILED) return 2;
  prctl(PR_SET_CHILD_SUBREAPER, 1); /* orphaned descendants become children of the harness */
  double start = now();
  if (options.one)
    run_one(&options);
  else
    each_kind(&options);
  printf("%lu addresses, %lu points, %lu runs, %lu not reached, %lu failed, %.0f s\n",
         tally->addresses, tally->points, tally->runs, tally->missed, tally->failed, now() - start);
  return tally->failed != 0;
}
