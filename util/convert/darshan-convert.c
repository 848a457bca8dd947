/* darshan-convert: rewrites a log in the newest format, with another compression, fewer records or
 * anonymized names. */
#include <config.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../reader/called.h"
#include "convert.h"
#include "output.h"

static const char usage[] =
    "usage: darshan-convert [OPTION...] LOG NEW-LOG\n"
    "       darshan-convert [OPTION...] -o NEW-LOG LOG\n"
    "  writes a copy of LOG, which may have any version and byte order, to NEW-LOG, which must\n"
    "  not exist yet; - is standard output\n"
    "  --compression HOW   zlib [default], bzip2 (not for PyDarshan's wheel) or none\n"
    "  --bzip2             the same as --compression bzip2\n"
    "  --obfuscate         anonymize: replace file names, command line, hosts, user and job\n"
    "                      id by hashes, as 3.5.0 does; record ids stay the same, so that a\n"
    "                      reader can confirm a guessed path\n"
    "  --obfuscate=strong  replace record ids and mount points, too, so that a reader needs\n"
    "                      the key to confirm a guess\n"
    "  --obfuscate_names, --obfuscate_exe, --obfuscate_uid, --obfuscate_jobid\n"
    "                      replace only these, as 3.5.0 does\n"
    "  --key KEY           key of the hashes: logs with the same key have the same hashes; a\n"
    "                      number, with strong any text [0; with strong: a random key]\n"
    "  --key-file FILE     the key is the first line of FILE\n"
    "  --file ID           copy only the records with this id, of all modules\n"
    "  --annotate TEXT     add TEXT to the metadata: key=value, several separated by tabs\n"
    "  --reset-md          do not copy the metadata of LOG\n"
    "  --no-annex          do not copy the modules that other readers do not know\n"
    "  --version, --help\n";

enum option_code {
  COMPRESSION = 256,
  BZIP2,
  OBFUSCATE,
  NAMES,
  EXE,
  UID,
  JOBID,
  KEY,
  KEY_FILE,
  FILE_ID,
  ANNOTATE,
  RESET,
  NO_ANNEX,
  VERSION_
};

static int read_compression(const char *text) {
  static const char *const names[] = {
      [DARSHAN_ZLIB] = "zlib", [DARSHAN_BZIP2] = "bzip2", [DARSHAN_UNCOMPRESSED] = "none"};
  for (int i = 0; i < 3; i++)
    if (strcmp(text, names[i]) == 0) return i;
  return convert_say("--compression %s: must be zlib, bzip2 or none", text);
}

static int read_id(struct convert_options *options, const char *text) {
  char *end;
  errno = 0;
  options->file = strtoull(text, &end, 0);
  options->one_file = true;
  if (*text && *text != '-' && !*end && !errno) return 0;
  return convert_say("--file %s: must be a record id, a number", text);
}

static int hide_all(struct hiding *hiding, const char *how) {
  hiding->names = hiding->exe = hiding->uid = hiding->jobid = true;
  hiding->strong |= how && strcmp(how, "strong") == 0;
  return !how || hiding->strong
             ? 0
             : convert_say("--obfuscate=%s: must be --obfuscate or --obfuscate=strong", how);
}

/* Reads a key, which is the first line of a file without its newline, into `room` of `size` bytes.
 * Returns room, or NULL after a message. */
static const char *read_key(const char *path, char *room, size_t size) {
  FILE *file = fopen(path, "re");
  const char *line = file ? fgets(room, (int)size, file) : NULL;
  if (!line && file && !ferror(file))
    convert_say("%s contains no key; write at least one character into it", path);
  else if (!line)
    convert_say("cannot read the key from %s: %s", path, strerror(errno));
  if (line && strlen(line) == size - 1 && line[size - 2] != '\n') {
    convert_say("cannot use the key in %s: it has more than %zu bytes", path, size - 2);
    line = NULL;
  }
  if (line) room[strcspn(room, "\n")] = '\0';
  if (file) fclose(file);
  return line;
}

/* Adds the text of an --annotate option to the texts of earlier options, after a tab. Returns 0, or
 * -1 after a message. */
static int annotate(struct convert_options *options, const char *text) {
  char *old = options->annotation, *all = NULL;
  if (asprintf(&all, "%s%s%s", old ? old : "", old ? "\t" : "", text) < 0)
    return convert_say("--annotate %s: out of memory", text);
  free(old);
  options->annotation = all;
  return 0;
}

struct arguments {
  struct convert_options options;
  const char *key; /* of the anonymization; NULL: the user gave none */
  char line[1024]; /* from the key file */
};

/* Stores one option. code: the option's value in `names`; its argument is in optarg. Returns a
 * negative number after a message if the argument is invalid, otherwise 0 or more. */
static int apply(struct arguments *arguments, int code) {
  struct convert_options *options = &arguments->options;
  struct hiding *hiding = &options->hiding;
  switch (code) {
  case 'o':
    options->out = optarg;
    return 0;
  case COMPRESSION:
    return options->compression = read_compression(optarg);
  case BZIP2:
    return options->compression = DARSHAN_BZIP2;
  case OBFUSCATE:
    return hide_all(hiding, optarg);
  case KEY:
  case KEY_FILE:
    if (arguments->key) return convert_say("--key and --key-file: only one key is allowed");
    arguments->key =
        code == KEY ? optarg : read_key(optarg, arguments->line, sizeof(arguments->line));
    return arguments->key ? 0 : -1;
  case FILE_ID:
    return read_id(options, optarg);
  case ANNOTATE:
    return annotate(options, optarg);
  default:
    hiding->names |= code == NAMES;
    hiding->exe |= code == EXE;
    hiding->uid |= code == UID;
    hiding->jobid |= code == JOBID;
    options->reset_metadata |= code == RESET;
    options->annex &= code != NO_ANNEX;
    return 0;
  }
}

static const struct option names[] = {{"output", required_argument, NULL, 'o'},
                                      {"compression", required_argument, NULL, COMPRESSION},
                                      {"bzip2", no_argument, NULL, BZIP2},
                                      {"obfuscate", optional_argument, NULL, OBFUSCATE},
                                      {"obfuscate_names", no_argument, NULL, NAMES},
                                      {"obfuscate_exe", no_argument, NULL, EXE},
                                      {"obfuscate_uid", no_argument, NULL, UID},
                                      {"obfuscate_jobid", no_argument, NULL, JOBID},
                                      {"key", required_argument, NULL, KEY},
                                      {"key-file", required_argument, NULL, KEY_FILE},
                                      {"file", required_argument, NULL, FILE_ID},
                                      {"annotate", required_argument, NULL, ANNOTATE},
                                      {"reset-md", no_argument, NULL, RESET},
                                      {"no-annex", no_argument, NULL, NO_ANNEX},
                                      {"version", no_argument, NULL, VERSION_},
                                      {"help", no_argument, NULL, 'h'},
                                      {NULL, 0, NULL, 0}};

/* Reads the options and the two paths. Returns -1 if the command must continue, otherwise its exit
 * status. */
static int read_arguments(struct arguments *arguments, int argc, char **argv) {
  int code;
  while ((code = getopt_long(argc, argv, "o:h", names, NULL)) != -1) {
    if (code == 'h' || code == VERSION_) {
      if (code == 'h')
        called_usage(stdout, usage, "darshan-convert");
      else
        puts("darshan-convert " PACKAGE_VERSION);
      return written(stdout, "darshan-convert", 0);
    }
    if (code == '?') {
      called_usage(stderr, usage, "darshan-convert");
      return 2;
    }
    if (apply(arguments, code) < 0) return 2;
  }
  struct convert_options *options = &arguments->options;
  if (optind != argc - (options->out ? 1 : 2)) {
    called_usage(stderr, usage, "darshan-convert");
    return 2;
  }
  options->in = argv[optind];
  if (!options->out) options->out = argv[optind + 1];
  return hide_key(&arguments->options.hiding, arguments->key) < 0 ? 2 : -1;
}

int main(int argc, char **argv) {
  struct arguments arguments = {.options = {.compression = DARSHAN_ZLIB, .annex = true}};
  int status = read_arguments(&arguments, argc, argv);
  if (status < 0) status = convert(&arguments.options) < 0;
  free(arguments.options.annotation);
  return status;
}
