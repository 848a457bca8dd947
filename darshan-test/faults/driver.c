/* The harness: for each program, each system call of the runtime fails with each
 * error, once. */
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

#include "faults.h"

struct options {
  const char *program, *runtime, *folder, *modes, *one;
  unsigned workers, share, seed, wait;
  int verbose, error; /* error: this one alone, 0: all */
};
/* Shared with the workers. */
struct tally {
  unsigned long runs, missed, failed, known, said;
};
static struct tally *tally;

static const struct {
  const char *mode, *call;
  int error;
  const char *why;
} known[] = {
#define KNOWN(mode, call, error, why) {mode, call, error, why},
#include "known.def"
#undef KNOWN
    {"", "", 0, ""},
};

static int is_known(const char *mode, long call, int error) {
  for (size_t i = 0; i + 1 < sizeof(known) / sizeof(known[0]); i++)
    if ((!known[i].mode || !strcmp(known[i].mode, mode)) &&
        (!known[i].call || !strcmp(known[i].call, call_name(call))) &&
        (!known[i].error || known[i].error == error))
      return 1;
  return 0;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void count(unsigned long *what) {
  __atomic_add_fetch(what, 1, __ATOMIC_RELAXED);
}

static void make_place(struct place *place, const struct options *options, unsigned worker) {
  char folder[PATH_MAX - 32];
  *place = (struct place){.program = options->program, .runtime = options->runtime};
  mkdir(options->folder, 0755);
  snprintf(folder, sizeof(folder), "%s/%u", options->folder, worker);
  mkdir(folder, 0755);
  snprintf(place->work, sizeof(place->work), "%s/work", folder);
  snprintf(place->logs, sizeof(place->logs), "%s/logs", folder);
  snprintf(place->journals, sizeof(place->journals), "%s/journals", folder);
  mkdir(place->work, 0755);
  mkdir(place->logs, 0755);
  mkdir(place->journals, 0755);
}

static const char *error_text(int error) {
  if (error == SHORT) return "short";
  if (error == DELAYED) return "delayed";
  return strerrorname_np(error);
}

static int take_one(struct result *result, const struct place *place, const char *mode, int bare,
                    struct run *run) {
  struct fault none = {.n = 0};
  result_clean(place);
  run_program(run, place, mode, bare, &none);
  result_read(result, place, run->status, 0);
  if (run->hung || result->problem[0]) {
    printf("FAILED %s%s: no reference: %s\n", mode, bare ? ", bare" : "",
           run->hung ? "it hangs" : result->problem);
    count(&tally->failed);
    return -1;
  }
  return 0;
}

static int take_expected(struct expected *expected, const struct place *place, const char *mode,
                         struct run *run) {
  if (take_one(&expected->bare, place, mode, 1, run) < 0) return -1;
  if (take_one(&expected->two, place, mode, 0, run) < 0) return -1;
  if (take_one(&expected->one, place, mode, 0, run) < 0) return -1;
  expected->logs = count_logs(place);
  return 0;
}

static void report(const struct options *options, const char *mode, const struct fault *fault,
                   const struct verdict *verdict) {
  const char *name = call_name(fault->call), *error = error_text(fault->error);
  if (verdict->line[0]) count(&tally->said);
  if (verdict->why[0] && is_known(mode, fault->call, fault->error)) {
    count(&tally->known);
  } else if (verdict->why[0]) {
    count(&tally->failed);
    printf("FAILED %s %u:%d %s %s at %#x: %s [%s]\n", mode, fault->n, fault->error, name, error,
           fault->at, verdict->why, verdict->line);
  } else if (options->verbose) {
    printf("right %s %u:%d %s %s: %s [%s]\n", mode, fault->n, fault->error, name, error,
           verdict->whole ? "whole" : "not whole", verdict->line);
  }
  fflush(stdout);
}

static void run_fault(const struct options *options, const struct place *place, const char *mode,
                      const struct expected *expected, unsigned n, long call, int error) {
  struct run run;
  struct verdict verdict;
  struct fault fault = {.n = n, .expected = call, .error = error, .wait = options->wait};
  result_clean(place);
  run_program(&run, place, mode, 0, &fault);
  if (fault.call < 0) {
    count(&tally->missed);
    return;
  }
  count(&tally->runs);
  judge(&verdict, expected, place, &run);
  report(options, mode, &fault, &verdict);
}

/* The same faults in every worker. */
static int chosen(const struct options *options, unsigned i) {
  uint32_t hash = (i + 1) * 2654435761u ^ (options->seed + 1) * 2246822519u;
  hash = (hash ^ hash >> 15) * 3266489917u;
  return (hash ^ hash >> 13) % options->share == 0;
}

static void work(const struct options *options, unsigned worker, const char *mode) {
  struct place place;
  struct expected expected;
  struct run run;
  unsigned turn = 0, i = 0;
  make_place(&place, options, worker);
  if (take_expected(&expected, &place, mode, &run) < 0) return;
  if (run.calls > MOST_CALLS) {
    printf("FAILED %s: more calls than there is room for\n", mode);
    count(&tally->failed);
    return;
  }
  int one = 0;
  unsigned n = 0;
  if (options->one && sscanf(options->one, "%u:%d", &n, &one) == 2) {
    run_fault(options, &place, mode, &expected, n, -1, one);
    return;
  }
  if (worker == 0 && !options->one) printf("%s: %u calls of the runtime\n", mode, run.calls);
  fflush(stdout);
  for (n = 1; n <= run.calls; n++)
    for (unsigned e = 0, error; (error = (unsigned)error_of(run.call[n - 1], e)) != NO_FAULT; e++)
      if ((!options->error || options->error == (int)error) && chosen(options, i++) &&
          turn++ % options->workers == worker)
        run_fault(options, &place, mode, &expected, n, run.call[n - 1], (int)error);
}

static void run_mode(const struct options *options, const char *mode) {
  struct tally before = *tally;
  double start = now();
  unsigned workers = options->one ? 1 : options->workers;
  fflush(stdout);
  for (unsigned worker = 0; worker < workers; worker++)
    if (fork() == 0) {
      prctl(PR_SET_CHILD_SUBREAPER, 1);
      work(options, worker, mode);
      fflush(stdout);
      _exit(0);
    }
  while (wait(NULL) > 0 || errno == EINTR)
    ;
  printf("%s: %lu runs, %lu not reached, %lu with a line, %lu known, %lu failed, %.1f s\n", mode,
         tally->runs - before.runs, tally->missed - before.missed, tally->said - before.said,
         tally->known - before.known, tally->failed - before.failed, now() - start);
  fflush(stdout);
}

int main(int argc, char **argv) {
  struct options options = {.workers = 1, .share = 1, .wait = 10};
  for (int c; (c = getopt(argc, argv, "p:r:f:k:w:n:S:d:e:1:v")) != -1;) {
    if (c == 'p') options.program = optarg;
    if (c == 'r') options.runtime = optarg;
    if (c == 'f') options.folder = optarg;
    if (c == 'k') options.modes = optarg;
    if (c == 'w') options.workers = (unsigned)atoi(optarg);
    if (c == 'n') options.share = (unsigned)atoi(optarg);
    if (c == 'S') options.seed = (unsigned)strtoul(optarg, NULL, 10);
    if (c == 'd') options.wait = (unsigned)atoi(optarg);
    if (c == 'e') options.error = atoi(optarg);
    if (c == '1') options.one = optarg;
    if (c == 'v') options.verbose = 1;
  }
  if (!options.program || !options.runtime || !options.folder || !options.modes) return 2;
  if (!options.workers || !options.share) return 2;
  tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (tally == MAP_FAILED) return 2;
  double start = now();
  char modes[1024];
  snprintf(modes, sizeof(modes), "%s", options.modes);
  for (char *mode = strtok(modes, ","); mode; mode = strtok(NULL, ","))
    run_mode(&options, mode);
  printf("%lu runs, %lu not reached, %lu with a line, %lu known, %lu failed, %.0f s\n", tally->runs,
         tally->missed, tally->said, tally->known, tally->failed, now() - start);
  return tally->failed != 0;
}
