/* Implements the command darshan-parser, which prints a log as text. */
#include "config.h"

#include "../reader/called.h"
#include "print-log.h"

#include <getopt.h>
#include <stdio.h>

static const char usage_text[] =
    "Usage: darshan-parser [options] <log>\n"
    "  --base             a row per counter of every record (the default)\n"
    "  --total            totals per module\n"
    "  --file             numbers of files per module\n"
    "  --perf             performance per module\n"
    "  --all              all of these, incomplete modules included\n"
    "  --show-incomplete  do not stop at a module that lacks records\n"
    "  --annex            also print totals of the modules that other readers do not know\n"
    "  --no-annex         do not print these modules\n"
    "Exit status: 1 if the log cannot be read, 255 at an incomplete module\n"
    "  --version          print the version\n"
    "  --help             print this\n";

/* Prints the usage text. asked: true if the user requested it, false after a usage error. Returns
 * the exit status: 1 after an error, as in 3.5.0. */
static int usage(bool asked) {
  called_usage(asked ? stdout : stderr, usage_text, "darshan-parser");
  return asked ? written(stdout, "darshan-parser", 0) : 1;
}

enum option_code {
  BASE = 1,
  TOTAL,
  FILES,
  PERF,
  ALL,
  SHOW_INCOMPLETE,
  ANNEX,
  NO_ANNEX,
  VERSION_,
  HELP
};

static void apply(struct parser_options *options, int code) {
  options->base |= code == BASE || code == ALL;
  options->summary.total |= code == TOTAL || code == ALL;
  options->summary.file |= code == FILES || code == ALL;
  options->summary.perf |= code == PERF || code == ALL;
  options->show_incomplete |= code == SHOW_INCOMPLETE || code == ALL;
  options->annex &= code != NO_ANNEX;
  options->annex_sums |= code == ANNEX || code == ALL;
}

/* Reads the options and the path into *options. Returns -1 if the program must continue. Otherwise,
 * after --help, --version or a usage error, returns its exit status. */
static int parse_arguments(int argc, char **argv, struct parser_options *options) {
  static const struct option names[] = {{"base", no_argument, NULL, BASE},
                                        {"total", no_argument, NULL, TOTAL},
                                        {"file", no_argument, NULL, FILES},
                                        {"perf", no_argument, NULL, PERF},
                                        {"all", no_argument, NULL, ALL},
                                        {"show-incomplete", no_argument, NULL, SHOW_INCOMPLETE},
                                        {"annex", no_argument, NULL, ANNEX},
                                        {"no-annex", no_argument, NULL, NO_ANNEX},
                                        {"version", no_argument, NULL, VERSION_},
                                        {"help", no_argument, NULL, HELP},
                                        {NULL, 0, NULL, 0}};
  int code;
  while ((code = getopt_long(argc, argv, "", names, NULL)) != -1) {
    if (code == VERSION_) {
      puts("darshan-parser " PACKAGE_VERSION);
      return written(stdout, "darshan-parser", 0);
    }
    if (code == HELP || code == '?') return usage(code == HELP);
    apply(options, code);
  }
  if (optind != argc - 1) return usage(false);
  options->path = argv[optind];
  const struct summary_options *summary = &options->summary;
  if (!summary->total && !summary->file && !summary->perf) options->base = true;
  return -1;
}

static int print(darshan_log *log, const void *chosen, struct output *out) {
  const struct parser_options *options = chosen;
  const struct darshan_info *info = darshan_log_info(log);
  if (info->annex_problem && options->annex)
    fprintf(stderr, "%s: %s: skipped the annex: %s\n", called_as("darshan-parser"), options->path,
            info->annex_problem);
  preamble_print(out, info, options->annex);
  if (options->base) modules_print_columns(out);
  return modules_print(log, options, out);
}

int main(int argc, char **argv) {
  struct parser_options options = {.annex = true};
  int status = parse_arguments(argc, argv, &options);
  return status >= 0 ? status : print_log("darshan-parser", options.path, print, &options);
}
