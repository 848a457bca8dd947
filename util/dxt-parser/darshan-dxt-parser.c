/* darshan-dxt-parser: prints the traces of a log as text. */
#include "config.h"

#include "../reader/called.h"
#include "print-log.h"
#include "traces.h"

#include <getopt.h>
#include <stdio.h>

static const char usage_text[] = "Usage: darshan-dxt-parser [options] <log>\n"
                                 "  --show-incomplete  do not stop at a module that lacks records\n"
                                 "  --version          print the version\n"
                                 "  --help             print this\n";

/* Prints the usage text. asked: 1 on request, 0 after a usage error. Returns the exit status, which
 * is 1 after an error, as in 3.5.0. */
static int usage(bool asked) {
  called_usage(asked ? stdout : stderr, usage_text, "darshan-dxt-parser");
  return asked ? written(stdout, "darshan-dxt-parser", 0) : 1;
}

enum option_code { SHOW_INCOMPLETE = 1, VERSION_, HELP };

/* Reads the options and the path. Returns -1 if the command must continue, otherwise its exit
 * status. */
static int parse_arguments(int argc, char **argv, struct trace_options *options) {
  static const struct option names[] = {{"show-incomplete", no_argument, NULL, SHOW_INCOMPLETE},
                                        {"version", no_argument, NULL, VERSION_},
                                        {"help", no_argument, NULL, HELP},
                                        {NULL, 0, NULL, 0}};
  int code;
  while ((code = getopt_long(argc, argv, "", names, NULL)) != -1) {
    if (code == VERSION_) {
      puts("darshan-dxt-parser " PACKAGE_VERSION);
      return written(stdout, "darshan-dxt-parser", 0);
    }
    if (code != SHOW_INCOMPLETE) return usage(code == HELP);
    options->show_incomplete = true;
  }
  if (optind != argc - 1) return usage(false);
  options->path = argv[optind];
  return -1;
}

static int print(darshan_log *log, const void *options, struct output *out) {
  preamble_print(out, darshan_log_info(log), false);
  return traces_print(log, options, out);
}

int main(int argc, char **argv) {
  struct trace_options options = {.show_incomplete = false};
  int status = parse_arguments(argc, argv, &options);
  return status >= 0 ? status : print_log("darshan-dxt-parser", options.path, print, &options);
}
