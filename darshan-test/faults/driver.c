/* The program that runs the fault tests. For each program of programs.def, it lets each system call
 * of the runtime fail with each of its errors, one at a time. Exit status 1: a result is not right.
 *
 *   driver -p TARGET -r RUNTIME -f FOLDER -k NAME,NAME... [OPTIONS]
 *
 *   -w COUNT       worker processes
 *   -n SHARE       only one fault in SHARE, another part with each seed (-S)
 *   -d WAIT        milliseconds of a delay
 *   -e ERROR       only this error
 *   -1 CALL:ERROR  only this fault
 *   -l             later calls of the same kind fail, too
 *   -v             prints each run */
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

/* The options of the command line. error: only this error; 0: all. one: only this fault; NULL: all.
 */
struct options {
  const char *program, *runtime, *folder, *modes, *one;
  unsigned workers, share, seed, wait;
  int lasting, verbose, error;
};
/* Counts of all runs, in memory that the harness shares with its workers. runs: runs with a fault.
 * missed: the call did not occur again. failed: the result was wrong. known: wrong, but known.def
 * accepts it. said: the runtime printed a line. hung: jobs that hung once. */
struct tally {
  unsigned long runs, missed, failed, known, said, hung;
};
static struct tally *tally;

/* The failures that known.def accepts; NULL and 0 match all. */
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

/* The programs of programs.def. */
static const struct program programs[] = {
#define PROGRAM(name, mode, with, rank, setting) {name, mode, with, rank, setting},
#include "programs.def"
#undef PROGRAM
};

/* Returns the program of this name; NULL if there is none. */
static const struct program *program_named(const char *name) {
  for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
    if (strcmp(programs[i].name, name) == 0) return &programs[i];
  return NULL;
}

/* Returns 1 if known.def accepts a failure, otherwise 0. mode: name of the program. */
static int is_known(const char *mode, long call, int error) {
  for (size_t i = 0; i + 1 < sizeof(known) / sizeof(known[0]); i++)
    if ((!known[i].mode || !strcmp(known[i].mode, mode)) &&
        (!known[i].call || !strcmp(known[i].call, call_name(call))) &&
        (!known[i].error || known[i].error == error))
      return 1;
  return 0;
}

/* Returns the time in seconds from an arbitrary start. */
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Adds one to a count that several processes share. */
static void count(unsigned long *what) {
  __atomic_add_fetch(what, 1, __ATOMIC_RELAXED);
}

/* Runs a program, and once more if it is a job that hangs: on a busy machine, a job sometimes hangs
 * without the runtime, too. Counts and prints such hangs. Parameters: as of run_program. */
static void run_patiently(struct run *run, const struct place *place, const struct program *program,
                          int bare, struct fault *fault) {
  struct fault again = *fault;
  result_clean(place);
  run_program(run, place, program, bare, fault);
  if (!run->hung || !is_job(program)) return;
  printf("hung once: %s%s%s%s at %#x (%s)\n", program->name, bare ? ", bare" : "",
         fault->call < 0 ? "" : " ", fault->call < 0 ? "" : call_name(fault->call), fault->at,
         run->where);
  count(&tally->hung);
  *fault = again;
  result_clean(place);
  run_program(run, place, program, bare, fault);
}

/* Runs a program without a fault, and reads its result. bare: without the runtime. Returns 0; -1,
 * with a message, if the program hangs or its result is wrong. */
static int take_one(struct result *result, const struct place *place, const struct program *program,
                    int bare, struct run *run) {
  struct fault none = {.expected = -1};
  run_patiently(run, place, program, bare, &none);
  result_read(result, place, run->status, 0, NULL);
  if (run->hung || result->problem[0]) {
    printf("FAILED %s%s: no reference: %s\n", program->name, bare ? ", bare" : "",
           run->hung ? "it hangs" : result->problem);
    count(&tally->failed);
    return -1;
  }
  return 0;
}

/* Runs a program without a fault, once without the runtime and twice with it, and fills *expected.
 * *run is that of the last run. Returns 0; -1 if a run fails. */
static int take_expected(struct expected *expected, const struct place *place,
                         const struct program *program, struct run *run) {
  if (take_one(&expected->bare, place, program, 1, run) < 0) return -1;
  if (take_one(&expected->two, place, program, 0, run) < 0) return -1;
  if (take_one(&expected->one, place, program, 0, run) < 0) return -1;
  expected->logs = count_logs(place);
  return 0;
}

/* Counts a run with a fault, and prints it if its result is wrong. mode: name of the program. */
static void report(const struct options *options, const char *mode, const struct fault *fault,
                   const struct verdict *verdict) {
  const char *name = call_name(fault->call), *error = error_name(fault->error);
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

/* Runs a program with a fault, and judges its result. reference: a run without a fault. n: index of
 * the call in it, from 1. */
static void run_fault(const struct options *options, const struct place *place,
                      const struct program *program, const struct expected *expected,
                      const struct run *reference, unsigned n, int error) {
  struct run run;
  struct verdict verdict;
  struct fault fault = {.n = n,
                        .expected = reference->call[n - 1],
                        .error = error,
                        .wait = options->wait,
                        .lasting = options->lasting};
  for (unsigned i = 0; i < n; i++)
    fault.turn += reference->call[i] == fault.expected;
  run_patiently(&run, place, program, 0, &fault);
  if (fault.call < 0) {
    count(&tally->missed);
    return;
  }
  count(&tally->runs);
  judge(&verdict, expected, place, &run);
  report(options, program->name, &fault, &verdict);
}

/* Returns 1 if fault number i is in the sample, which is one fault in options->share and depends on
 * the seed; it is the same in every worker. */
static int chosen(const struct options *options, unsigned i) {
  uint32_t hash = (i + 1) * 2654435761u ^ (options->seed + 1) * 2246822519u;
  hash = (hash ^ hash >> 15) * 3266489917u;
  return (hash ^ hash >> 13) % options->share == 0;
}

/* Runs the faults of one worker for a program. worker: its number, from 0. */
static void work(const struct options *options, unsigned worker, const struct program *program) {
  struct place place;
  struct expected expected;
  static struct run run;
  char path[PATH_MAX];
  unsigned turn = 0, i = 0;
  place_make(&place, options->folder, options->program, options->runtime, worker);
  snprintf(path, sizeof(path), "%s%s%s", options->program, program->with[0] ? "-" : "",
           program->with);
  place.program = path;
  if (take_expected(&expected, &place, program, &run) < 0) return;
  if (run.calls > MOST_CALLS) {
    printf("FAILED %s: more calls than there is room for\n", program->name);
    count(&tally->failed);
    return;
  }
  int one = 0;
  unsigned n = 0;
  if (options->one && sscanf(options->one, "%u:%d", &n, &one) == 2 && n <= run.calls) {
    run_fault(options, &place, program, &expected, &run, n, one);
    return;
  }
  if (worker == 0 && !options->one)
    printf("%s: %u calls of the runtime\n", program->name, run.calls);
  fflush(stdout);
  for (n = 1; n <= run.calls; n++)
    for (unsigned e = 0, error; (error = (unsigned)error_of(run.call[n - 1], e)) != NO_FAULT; e++)
      if ((!options->error || options->error == (int)error) && chosen(options, i++) &&
          turn++ % options->workers == worker)
        run_fault(options, &place, program, &expected, &run, n, (int)error);
}

/* Runs all faults of a program in worker processes, and prints the counts. */
static void run_all(const struct options *options, const struct program *program) {
  struct tally before = *tally;
  double start = now();
  unsigned workers = options->one ? 1 : options->workers;
  fflush(stdout);
  for (unsigned worker = 0; worker < workers; worker++)
    if (fork() == 0) {
      prctl(PR_SET_CHILD_SUBREAPER, 1);
      work(options, worker, program);
      fflush(stdout);
      _exit(0);
    }
  while (wait(NULL) > 0 || errno == EINTR)
    ;
  printf("%s: %lu runs, %lu not reached, %lu with a line, %lu known, %lu hung once, %lu failed, "
         "%.1f s\n",
         program->name, tally->runs - before.runs, tally->missed - before.missed,
         tally->said - before.said, tally->known - before.known, tally->hung - before.hung,
         tally->failed - before.failed, now() - start);
  fflush(stdout);
}

int main(int argc, char **argv) {
  struct options options = {.workers = 1, .share = 1, .wait = 10};
  for (int c; (c = getopt(argc, argv, "p:r:f:k:w:n:S:d:e:1:lv")) != -1;) {
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
    if (c == 'l') options.lasting = 1;
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
    if (!program_named(mode))
      return 2;
    else
      run_all(&options, program_named(mode));
  printf(
      "%lu runs, %lu not reached, %lu with a line, %lu known, %lu hung once, %lu failed, %.0f s\n",
      tally->runs, tally->missed, tally->said, tally->known, tally->hung, tally->failed,
      now() - start);
  return tally->failed != 0;
}
