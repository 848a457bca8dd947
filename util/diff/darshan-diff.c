/* darshan-diff: prints the differences between two logs. */
#include <config.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../reader/called.h"
#include "differences.h"

static const char usage[] =
    "usage: darshan-diff [OPTION...] LOG1 LOG2\n"
    "  prints the differences between two logs: lines of LOG1 begin with \"- \", lines of LOG2\n"
    "  with \"+ \"; first the fields of the job, then a blank line, then rows as darshan-parser\n"
    "  prints them; records with the same id and rank are compared.  Exit status: 0 if the\n"
    "  logs are the same, 1 if they differ or if one cannot be read (one line says so)\n"
    "  --relative PART    ignore differences up to this part of the larger value, 0.05 for 5 %\n"
    "  --seconds SECONDS  ignore differences of times up to SECONDS\n"
    "  --ignore PATTERN   ignore counters whose names match (POSIX_F_*); may be repeated\n"
    "  --no-job           ignore the fields of the job, of which times always differ\n"
    "  --no-annex         ignore the modules that other readers do not know\n"
    "  -q, --quiet        print nothing; only set the exit status\n"
    "  --version, --help\n";

enum option_code { RELATIVE = 256, SECONDS, IGNORE, NO_JOB, NO_ANNEX, VERSION_ };

/* Reads a tolerance. Returns 0, or -1 after a message if the text is not a finite number of at
 * least 0. */
static int read_number(double *value, const char *text) {
  char *end;
  *value = strtod(text, &end);
  if (*text && !*end && isfinite(*value) && *value >= 0) return 0;
  fprintf(stderr, "%s: tolerance %s: must be a number of at least 0\n", called_as("darshan-diff"),
          text);
  return -1;
}

static int apply(struct diff_options *options, int code) {
  if (code == RELATIVE) return read_number(&options->relative, optarg);
  if (code == SECONDS) return read_number(&options->seconds, optarg);
  if (code == IGNORE && options->num_ignored == DIFF_IGNORED_MAX) {
    fprintf(stderr, "%s: --ignore: at most %d patterns are allowed\n", called_as("darshan-diff"),
            DIFF_IGNORED_MAX);
    return -1;
  }
  if (code == IGNORE) options->ignored[options->num_ignored++] = optarg;
  options->job &= code != NO_JOB;
  options->annex &= code != NO_ANNEX;
  options->quiet |= code == 'q';
  return 0;
}

static const struct option names[] = {{"relative", required_argument, NULL, RELATIVE},
                                      {"seconds", required_argument, NULL, SECONDS},
                                      {"ignore", required_argument, NULL, IGNORE},
                                      {"no-job", no_argument, NULL, NO_JOB},
                                      {"no-annex", no_argument, NULL, NO_ANNEX},
                                      {"quiet", no_argument, NULL, 'q'},
                                      {"version", no_argument, NULL, VERSION_},
                                      {"help", no_argument, NULL, 'h'},
                                      {NULL, 0, NULL, 0}};

/* Reads the options and the two paths. Returns -1 if the command must continue, otherwise its exit
 * status. */
static int read_arguments(struct diff_options *options, int argc, char **argv) {
  int code;
  while ((code = getopt_long(argc, argv, "qh", names, NULL)) != -1) {
    if (code == 'h' || code == VERSION_) {
      if (code == 'h')
        called_usage(stdout, usage, "darshan-diff");
      else
        puts("darshan-diff " PACKAGE_VERSION);
      return written(stdout, "darshan-diff", 0);
    }
    if (code == '?') called_usage(stderr, usage, "darshan-diff");
    if (code == '?' || apply(options, code) < 0) return 2;
  }
  if (optind != argc - 2) {
    called_usage(stderr, usage, "darshan-diff");
    return 2;
  }
  memcpy(options->paths, argv + optind, sizeof(options->paths));
  return -1;
}

/* Discards output, for --quiet. */
static int print_nowhere(void *context, const char *bytes, size_t n) {
  (void)context;
  (void)bytes;
  (void)n;
  return 0;
}

/* Prints the differences between two logs. Returns the exit status: 0 if they are the same, 1 if
 * they differ or after an error message. */
static int compare(const struct diff_options *options, darshan_log *const logs[2]) {
  const struct darshan_info *const info[2] = {darshan_log_info(logs[0]), darshan_log_info(logs[1])};
  struct output out;
  bool differ = false;
  if (output_open(&out, STDOUT_FILENO) != 0) {
    fprintf(stderr, "%s: cannot compare %s and %s: out of memory\n", called_as("darshan-diff"),
            options->paths[0], options->paths[1]);
    return 1;
  }
  if (options->quiet) out.take = print_nowhere;
  for (int i = 0; i < 2; i++)
    if (info[i]->annex_problem && options->annex)
      fprintf(stderr, "%s: %s: skipped the annex: %s\n", called_as("darshan-diff"),
              options->paths[i], info[i]->annex_problem);
  if (options->job && job_fields_compare(options, info, &out) > 0) {
    differ = true;
    output_text(&out, "\n");
  }
  int failed = differences_print(options, logs, &out, &differ) < 0;
  int error = output_close(&out);
  if (error)
    fprintf(stderr, "%s: cannot write to standard output: %s\n", called_as("darshan-diff"),
            strerror(error));
  return failed || error || differ;
}

int main(int argc, char **argv) {
  struct diff_options options = {.job = true, .annex = true};
  darshan_log *logs[2] = {NULL, NULL};
  int status = read_arguments(&options, argc, argv);
  if (status >= 0) return status;
  for (int i = 0; i < 2 && status < 0; i++) {
    struct darshan_error error = {""};
    logs[i] = darshan_log_read(options.paths[i], &error);
    if (logs[i]) continue;
    fprintf(stderr, "%s: %s: %s\n", called_as("darshan-diff"), options.paths[i], error.text);
    status = 1;
  }
  if (status < 0) status = compare(&options, logs);
  darshan_log_free(logs[0]);
  darshan_log_free(logs[1]);
  return status;
}
