/* Sums the PROCESS records of logs by program (programs.h). */
#define _GNU_SOURCE
#include "programs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "../../../runtime/format/run.h"
#include "records.h"

static_assert(PROCESS_F_META_TIME == PROCESS_F_READ_TIME + 2, "times stand together");

enum { EXITED = 1, SIGNALLED = 2 }; /* values of PROCESS_ENDED */

void programs_init(struct programs *programs) {
  id_table_init(&programs->table, sizeof(struct program));
  id_table_init(&programs->bad_ends, sizeof(struct bad_end));
}

void programs_free(struct programs *programs) {
  for (size_t i = 0; i < programs->table.count; i++)
    free(((struct program *)id_table_value(&programs->table, i))->name);
  id_table_free(&programs->table);
  id_table_free(&programs->bad_ends);
}

/* --- names ------------------------------------------------------------------------- */

/* Returns 1 for the name of an interpreter, whose processes users know by their script. Otherwise
 * returns 0. A version may follow the name. */
static int is_interpreter(const char *name, size_t length) {
  static const char *const known[] = {"sh",   "bash", "dash",    "zsh",   "ksh",  "python", "pypy",
                                      "perl", "ruby", "Rscript", "julia", "node", "lua"};
  while (length && strchr("0123456789.", name[length - 1]))
    length--;
  for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
    if (strlen(known[i]) == length && strncmp(name, known[i], length) == 0) return 1;
  return 0;
}

struct word { /* a part of a command line, without NUL */
  const char *at;
  size_t length;
};

/* Returns the next word of *text and moves *text behind it; the length is 0 at the end. */
static struct word next_word(const char **text) {
  struct word word;
  word.at = *text + strspn(*text, " \t");
  word.length = strcspn(word.at, " \t");
  *text = word.at + word.length;
  return word;
}

static struct word without_folder(struct word word) {
  const char *slash = memrchr(word.at, '/', word.length);
  if (!slash || slash + 1 == word.at + word.length) return word;
  return (struct word){slash + 1, word.length - (size_t)(slash + 1 - word.at)};
}

/* Returns the script or module (-m) in the arguments `rest` of the interpreter `program`. Returns
 * the interpreter itself if an option contains the program (-c), or may have the next word as its
 * value. */
static struct word script_of(struct word program, const char *rest) {
  struct word word = next_word(&rest);
  if (word.length == 2 && strncmp(word.at, "-m", 2) == 0) {
    word = next_word(&rest);
    return word.length ? word : program;
  }
  while (word.length == 2 && word.at[0] == '-' && strchr("usSBIEOexv", word.at[1]))
    word = next_word(&rest);
  return word.length == 0 || word.at[0] == '-' ? program : without_folder(word);
}

char *program_of(const char *process) {
  static const char became[] = " -> ";
  const char *command = strstr(process, ": "), *next;
  command = command ? command + 2 : process;
  while ((next = strstr(command, became)))
    command = next + sizeof(became) - 1;
  if (command[0] == '(') return strdup(command); /* not a command, but a text such as "(unknown)" */
  struct word program = without_folder(next_word(&command));
  if (program.length && program.at[0] == '-') { /* a login shell */
    program.at++;
    program.length--;
  }
  if (is_interpreter(program.at, program.length)) program = script_of(program, command);
  return program.length ? strndup(program.at, program.length) : strdup("(unknown)");
}

/* Returns 1 for a script in a folder of commands, of which the user typed only the name. Otherwise
 * returns 0. */
static int is_command_file(struct word word) {
  static const char *const folders[] = {"bin", "sbin", "shims", "condabin", "libexec"};
  struct word name = without_folder(word);
  if (word.length == 0 || word.at[0] != '/' || name.at < word.at + 2) return 0;
  const char *end = name.at - 1;
  const char *begin = memrchr(word.at, '/', (size_t)(end - word.at));
  size_t length = begin ? (size_t)(end - begin) - 1 : 0;
  for (size_t i = 0; begin && i < sizeof(folders) / sizeof(folders[0]); i++)
    if (strlen(folders[i]) == length && strncmp(begin + 1, folders[i], length) == 0) return 1;
  return 0;
}

const char *command_typed(const char *command) {
  const char *rest = command;
  struct word first = next_word(&rest), name = without_folder(first);
  if (first.length && first.at[0] == '/' && name.length == 3 && strncmp(name.at, "env", 3) == 0) {
    first = next_word(&rest); /* #!/usr/bin/env bash */
    name = without_folder(first);
  }
  if (!is_interpreter(name.at, name.length)) return command;
  struct word script = next_word(&rest);
  if (script.length > 1 && script.at[0] == '-' && script.at[1] != 'c' && script.at[1] != 'm')
    script = next_word(&rest); /* #!/usr/bin/python3 -I */
  return is_command_file(script) ? without_folder(script).at : command;
}

/* --- sums --------------------------------------------------------------------------- */

/* Adds a counter to a sum. Counters are untrusted: the sum stops at INT64_MAX, and negative values
 * are ignored. */
static void add(int64_t *sum, int64_t value) {
  if (value > 0 && __builtin_add_overflow(*sum, value, sum)) *sum = INT64_MAX;
}

static void add_record(struct program *program, const struct darshan_process_record *record) {
  const int64_t *counters = record->counters;
  add(&program->count, counters[PROCESS_COUNT]);
  add(&program->ranks, counters[PROCESS_JOB_RANKS]);
  if (counters[PROCESS_UNSEEN] > RUN_WATCHED) {
    add(&program->unseen, counters[PROCESS_COUNT]);
    program->why =
        counters[PROCESS_UNSEEN] < RUN_SILENT ? (int)counters[PROCESS_UNSEEN] : (int)RUN_SILENT;
  }
  for (int i = PROCESS_F_READ_TIME; i <= PROCESS_F_META_TIME; i++)
    if (record->fcounters[i] > 0) program->time += record->fcounters[i]; /* false for NaN */
}

/* Adds the failed processes of a record to the failures of the program with this name. Does nothing
 * if out of memory. */
static void add_end(struct programs *programs, const char *name,
                    const struct darshan_process_record *record) {
  int64_t ended = record->counters[PROCESS_ENDED], status = record->counters[PROCESS_STATUS];
  int is_new;
  uint64_t key[] = {darshan_id_of_name(name, strlen(name)), (uint64_t)ended, (uint64_t)status};
  if (record->counters[PROCESS_FAILED] <= 0) return;
  struct bad_end *end = id_table_get(&programs->bad_ends,
                                     darshan_id_of_name((const char *)key, sizeof(key)), &is_new);
  if (!end) return;
  end->name = name;
  end->signal = ended == SIGNALLED ? status : 0;
  end->status = ended == EXITED ? status : -1;
  add(&end->count, record->counters[PROCESS_FAILED]);
}

/* Stores a rank whose process was not recorded. silent: maps the rank + 1 to the key of its
 * program. */
static void note_silent(struct id_table *silent, const struct darshan_process_record *record,
                        uint64_t key) {
  int is_new;
  uint64_t *at = record->counters[PROCESS_UNSEEN] > RUN_WATCHED
                     ? id_table_get(silent, (uint64_t)record->base.rank + 1, &is_new)
                     : NULL;
  if (at) *at = key;
}

/* Adds the bytes in a USAGE record, which the kernel counted, to the program of a process that was
 * not recorded. */
static void add_usage(struct programs *programs, const struct id_table *silent,
                      const struct darshan_usage_record *usage) {
  const uint64_t *key = id_table_find(silent, (uint64_t)usage->base.rank + 1);
  struct program *program = key ? id_table_find(&programs->table, *key) : NULL;
  if (!program) return;
  program->is_measured = 1;
  add(&program->read, usage->counters[USAGE_CHARS_READ]);
  add(&program->written, usage->counters[USAGE_CHARS_WRITTEN]);
}

static void add_usages(struct programs *programs, darshan_log *log, const struct id_table *silent) {
  struct darshan_error error = {""};
  const void *next;
  size_t size;
  darshan_records *records =
      silent->count ? darshan_records_open(log, DARSHAN_MOD_USAGE, &error) : NULL;
  while (records && darshan_records_next(records, &next, &size, &error) > 0)
    add_usage(programs, silent, next);
  if (records) darshan_records_close(records);
}

int programs_add(struct programs *programs, darshan_log *log, int64_t *processes,
                 struct darshan_error *error) {
  darshan_records *records = darshan_records_open(log, DARSHAN_MOD_PROCESS, error);
  const void *next;
  size_t size;
  int more, is_new;
  struct id_table silent;
  if (!records) return -1;
  id_table_init(&silent, sizeof(uint64_t));
  while ((more = darshan_records_next(records, &next, &size, error)) > 0) {
    const struct darshan_process_record *record = next;
    const char *process = darshan_log_name(log, record->base.id);
    char *name = program_of(process ? process : "");
    uint64_t key = name ? darshan_id_of_name(name, strlen(name)) : 0;
    struct program *program = name ? id_table_get(&programs->table, key, &is_new) : NULL;
    if (!program) {
      free(name);
      break;
    }
    if (program->name)
      free(name);
    else
      program->name = name;
    add_record(program, record);
    add_end(programs, program->name, record);
    note_silent(&silent, record, key);
    if (record->counters[PROCESS_JOB_RANKS] <= 0) add(processes, record->counters[PROCESS_COUNT]);
  }
  darshan_records_close(records);
  add_usages(programs, log, &silent);
  id_table_free(&silent);
  return more < 0 ? -1 : 0;
}

static int by_time(const void *a, const void *b) {
  const struct program *left = *(const struct program *const *)a;
  const struct program *right = *(const struct program *const *)b;
  if (left->time != right->time) return left->time > right->time ? -1 : 1;
  return strcmp(left->name, right->name);
}

const struct program **programs_by_time(const struct programs *programs, size_t *count) {
  *count = programs->table.count;
  const struct program **all = *count ? malloc(*count * sizeof(*all)) : NULL;
  if (!all) *count = 0;
  for (size_t i = 0; i < *count; i++)
    all[i] = id_table_value(&programs->table, i);
  if (all) qsort(all, *count, sizeof(*all), by_time);
  return all;
}

static int by_count(const void *a, const void *b) {
  const struct bad_end *left = *(const struct bad_end *const *)a;
  const struct bad_end *right = *(const struct bad_end *const *)b;
  if (left->count != right->count) return left->count > right->count ? -1 : 1;
  int order = strcmp(left->name, right->name);
  return order ? order : (left->status > right->status) - (left->status < right->status);
}

const struct bad_end **programs_bad_ends(const struct programs *programs, size_t *count) {
  *count = programs->bad_ends.count;
  const struct bad_end **all = *count ? malloc(*count * sizeof(*all)) : NULL;
  if (!all) *count = 0;
  for (size_t i = 0; i < *count; i++)
    all[i] = id_table_value(&programs->bad_ends, i);
  if (all) qsort(all, *count, sizeof(*all), by_count);
  return all;
}
