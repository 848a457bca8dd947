/* The `darshan` command: runs its own subcommands, and starts other programs of Darshan for the
 * rest. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../reader/called.h"
#include "commands.h"
#include "installed.h"
#include "logs.h"
#include "message.h"
#include "paths.h"
#include "recover/recover.h"

#include <config.h>
#include <stddef.h>

enum { LONGEST = 32 }; /* characters of a word for `distance` */

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

/* Returns the distance of two words: how many characters must be added, removed, replaced or
 * swapped with their neighbour; 2 * LONGEST if a word is longer than LONGEST. */
static size_t distance(const char *a, const char *b) {
  size_t rows[3][LONGEST + 1], m = strlen(a), n = strlen(b);
  if (m > LONGEST || n > LONGEST) return 2 * LONGEST;
  for (size_t j = 0; j <= n; j++)
    rows[0][j] = j;
  for (size_t i = 1; i <= m; i++) {
    size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= n; j++) {
      row[j] = least(above[j - 1] + (a[i - 1] != b[j - 1]), least(above[j], row[j - 1]) + 1);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = least(row[j], second[j - 2] + 1);
    }
  }
  return rows[m % 3][n];
}

/* Returns the word of which the typed one is the beginning, if there is exactly one. Otherwise
 * returns the word with the smallest distance, if that is at most a third of the typed characters
 * (rounded up) and at least two were typed; NULL if no word is so similar. */
static const char *suggest(const char *typed, const char *const *words, size_t count) {
  size_t length = strlen(typed), best = 2 * LONGEST, beginnings = 0;
  const char *found = NULL, *longer = NULL;
  for (size_t i = 0; i < count; i++) {
    size_t steps = distance(typed, words[i]);
    if (steps < best) {
      best = steps;
      found = words[i];
    }
    if (length && strncmp(words[i], typed, length) == 0) {
      beginnings++;
      longer = words[i];
    }
  }
  if (beginnings == 1) return longer;
  return length > 1 && best <= (length + 2) / 3 ? found : NULL;
}

enum { TERM = 26 }; /* width of the column with a command and its arguments */

/* A subcommand: a function of this program, or another program that `darshan` executes. */
struct command {
  const char *word;                  /* or the name of a group of commands */
  int (*run)(int argc, char **argv); /* NULL: the command is `program` */
  const char *program, *folder;      /* folder: relative to that of this program */
  const char *arguments, *line;      /* for the usage text; line NULL: the heading of a group */
};

static const struct command commands[] = {
#define GROUP(name) {name, NULL, NULL, NULL, NULL, NULL},
#define OWN(word, function, arguments, line) {word, function, NULL, NULL, arguments, line},
#define TOOL(word, program, folder, arguments, line) {word, NULL, program, folder, arguments, line},
#include "commands.def"
#undef GROUP
#undef OWN
#undef TOOL
};
enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static int is_group(const struct command *command) {
  return command->line == NULL;
}

/* Prints the line of a command in the usage text: word, arguments ("" for none) and description. */
static void print_line(FILE *stream, const char *word, const char *arguments, const char *line) {
  int width = fprintf(stream, "  %s%s%s", word, *arguments ? " " : "", arguments);
  fprintf(stream, "%*s%s\n", width < TERM ? TERM - width + 3 : 3, "", line);
}

static void print_usage(FILE *stream) {
  fputs("usage: darshan COMMAND [ARGUMENT...]\n", stream);
  for (const struct command *one = commands; one < commands + COMMANDS; one++)
    if (is_group(one))
      fprintf(stream, "\n%s:\n", one->word);
    else
      print_line(stream, one->word, one->arguments, one->line);
  fputs("\n", stream);
  print_line(stream, "help", "[COMMAND]", "the manual page of a command, or its --help");
  fputs("  -V, --version\n"
        "  -h, --help\n"
        "Without LOG, report, where, parse, trace, dxt-parse and stat -r read your newest\n"
        "log.\n",
        stream);
}

/* Finds a command by its word, or by its program's name with or without "darshan-". Returns NULL if
 * there is none. */
static const struct command *find(const char *word) {
  static const char prefix[] = "darshan-";
  for (const struct command *one = commands; one < commands + COMMANDS; one++) {
    if (is_group(one)) continue;
    if (strcmp(word, one->word) == 0) return one;
    if (!one->program) continue;
    if (strcmp(word, one->program) == 0) return one;
    if (strcmp(word, one->program + sizeof(prefix) - 1) == 0) return one;
  }
  return NULL;
}

/* Returns argv, unless the command reads one log and argv names none (newest_is_meant). In that
 * case returns a copy with the newest log appended; NULL after a message if there is no log. */
static char **with_log(const struct command *command, const char *name, int argc, char **argv) {
  if (!newest_is_meant(command->word, argc, argv)) return argv;
  char **more = calloc((size_t)argc + 2, sizeof(*more));
  char *log = more ? newest_log(name) : NULL;
  if (!log) {
    free(more);
    return NULL;
  }
  memcpy(more, argv, (size_t)argc * sizeof(*more));
  more[argc] = log;
  return more;
}

/* Replaces this process by the program of a command. The program's messages begin with the words
 * that the user typed. Returns only after a failure, with the exit status. */
static int become(const struct command *command, int argc, char **argv) {
  static char name[64];
  char path[PATH_MAX];
  if (places_installed(path, command->program, command->folder) < 0) {
    places_say_missing(command->program);
    return 127;
  }
  snprintf(name, sizeof(name), "darshan %s", command->word);
  argv = with_log(command, name, argc, argv);
  if (!argv) return 1;
  setenv(CALLED_VARIABLE, name, 1);
  argv[0] = name; /* getopt prints it in messages */
  execv(path, argv);
  say("cannot run %s: %s", say_path(path), strerror(errno));
  return 126;
}

/* Opens /dev/null for each standard descriptor that the caller closed. Otherwise a log would get
 * such a descriptor, and messages would be written into the log. The application still finds these
 * descriptors closed (O_CLOEXEC). Reading and writing on them fails as before. */
static void keep_closed_ones_free(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0)
      open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

/* Prints that the typed word is not a command or option, and the command that the user may have
 * meant. Prints the usage if no word was typed. Returns the exit status. */
static int wrong(const char *word) {
  const char *words[COMMANDS + 1] = {"help"};
  size_t count = 1;
  if (!*word) {
    print_usage(stderr);
    return 2;
  }
  for (int i = 0; i < COMMANDS; i++)
    if (!is_group(&commands[i])) words[count++] = commands[i].word;
  const char *meant = *word == '-' ? NULL : suggest(word, words, count);
  if (*word == '-')
    say("unknown option %s", say_path(word));
  else if (meant)
    say("unknown command %s; did you mean %s?", say_path(word), meant);
  else
    say("unknown command %s", say_path(word));
  fputs("darshan: \"darshan --help\" lists the commands\n", stderr);
  return 2;
}

/* Shows a manual page with `man` if both are installed; otherwise returns. */
static void show_page(const char *name) {
  static const char *const endings[] = {"", ".gz"}; /* distributions compress pages */
  char file[NAME_MAX], path[PATH_MAX];
  for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
    snprintf(file, sizeof(file), "%s.1%s", name, endings[i]);
    if (places_installed(path, file, FRONT_MANUAL_FOLDER) == 0)
      execlp("man", "man", path, (char *)NULL);
  }
}

static int version(void) {
  puts("darshan " PACKAGE_VERSION);
  return written(stdout, "darshan", 0);
}

/* Runs a subcommand with the options from argv[1] on and returns its exit status. Overwrites
 * argv[0] with the name for messages. */
static int start(const struct command *command, int argc, char **argv) {
  static char name[64];
  if (!command->run) return become(command, argc, argv);
  if (argc > 1 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0))
    return version();
  snprintf(name, sizeof(name), "darshan %s", command->word);
  argv[0] = name; /* getopt prints it in messages */
  return command->run(argc, argv);
}

/* Shows the manual page of a command (word "": of darshan), or its --help if there is no page.
 * Returns the exit status. */
static int help(const char *word) {
  static char asked[] = "--help";
  char *arguments[] = {asked, asked, NULL}, page[64];
  const struct command *command = find(word);
  if (command) {
    snprintf(page, sizeof(page), "darshan-%s", command->word);
    show_page(command->program ? command->program : page);
    return start(command, 2, arguments);
  }
  if (*word) return wrong(word);
  show_page("darshan");
  print_usage(stdout);
  return written(stdout, "darshan", 0);
}

int main(int argc, char **argv) {
  keep_closed_ones_free();
  const char *word = argc > 1 ? argv[1] : "";
  const struct command *command = find(word);
  if (command) return start(command, argc - 1, argv + 1);
  if (strcmp(word, "help") == 0) return help(argc > 2 ? argv[2] : "");
  if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) return version();
  if (strcmp(word, "--help") != 0 && strcmp(word, "-h") != 0) return wrong(word);
  print_usage(stdout);
  return written(stdout, "darshan", 0);
}
