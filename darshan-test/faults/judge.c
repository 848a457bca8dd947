/* Judges the result of a run with a fault: compares it with the results of the same program without
 * a fault, once without the runtime and twice with it. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "darshan-read.h"
#include "faults.h"

/* The first word of each message of the runtime. */
static const char spoken[] = "darshan";

/* Returns the path of the retained journal that a message of the runtime names, as the rest of the
 * line; NULL if it names none. */
static const char *kept_at(const char *line) {
  static const char are[] = "s are in ", may_be[] = "s may be in ";
  const char *at = strstr(line, are);
  if (at) return at + sizeof(are) - 1;
  at = strstr(line, may_be);
  return at ? at + sizeof(may_be) - 1 : NULL;
}

/* Returns the row of a result with the same module and record id; NULL if there is none. */
static const struct row *same_row(const struct result *result, const struct row *like) {
  for (size_t i = 0; i < result->rows; i++)
    if (result->row[i].module == like->module && result->row[i].id == like->id)
      return &result->row[i];
  return NULL;
}

/* Returns 1 if a counter of this row cannot be compared: it depends on durations, or the second
 * reference run has another value or lacks the record. Otherwise 0. */
static int is_loose(const struct darshan_counter *counter, const struct expected *expected,
                    const struct row *row) {
  const struct row *two = same_row(&expected->two, row);
  return strstr(counter->name, "TIME_SIZE") || strstr(counter->name, "EST_RANK") || !two ||
         two->counter[counter->index] != row->counter[counter->index];
}

/* Returns 1 if a record has the expected counters; otherwise 0, with a reason in `why`. row: the
 * expected record. is: the record of the run; NULL if it is missing. */
static int row_is_right(const struct expected *expected, const struct row *row,
                        const struct row *is, char *why, size_t room) {
  const struct darshan_module *module = darshan_module_by_id(row->module);
  /* The kernel's usage counters include the runtime's calls, which fail here. */
  if (row->module == DARSHAN_MOD_USAGE) return 1;
  if (!is) {
    snprintf(why, room, "a record of %s is missing", module->name);
    return 0;
  }
  for (const struct darshan_counter *counter = module->counters; counter->name[0]; counter++) {
    if (counter->index < 0 || is_loose(counter, expected, row)) continue;
    int64_t was = row->counter[counter->index], now = is->counter[counter->index];
    if (now == was) continue;
    snprintf(why, room, "%s is %lld, not %lld", counter->name, (long long)now, (long long)was);
    return 0;
  }
  return 1;
}

/* Returns the sum of a counter over all records of a module. counter: its index. */
static int64_t sum_of(const struct result *result, int module, int counter) {
  int64_t sum = 0;
  for (size_t i = 0; i < result->rows; i++)
    if (result->row[i].module == module) sum += result->row[i].counter[counter];
  return sum;
}

/* Returns 1 if records were lost to an overflow record or to the record of a folder, otherwise
 * 0. */
static int has_overflow(const struct result *result) {
  static const char name[] = "<overflow>";
  struct row like = {.id = darshan_id_of_name(name, sizeof(name) - 1)};
  for (size_t i = 0; i < result->rows; i++) {
    like.module = result->row[i].module;
    /* The group record of a folder counts, too. */
    if (like.module == DARSHAN_MOD_GROUP || same_row(result, &like)) return 1;
  }
  return 0;
}

/* Returns 1 if the sums over all records are exact; otherwise 0, with a reason in `why`. If memory
 * was short, several files share one record. */
static int folded_rows_are_right(const struct expected *expected, const struct result *result,
                                 char *why, size_t room) {
  for (size_t i = 0; i < expected->one.rows; i++) {
    const struct row *row = &expected->one.row[i];
    const struct darshan_counter *counter = darshan_module_by_id(row->module)->counters;
    if (row->module == DARSHAN_MOD_USAGE) continue;
    for (; counter->name[0]; counter++) {
      if (counter->index < 0 || counter->rule != DARSHAN_RULE_SUM) continue;
      int64_t was = sum_of(&expected->one, row->module, counter->index);
      int64_t now = sum_of(result, row->module, counter->index);
      /* Counters that depend on the previous file differ in an overflow record. */
      if (now == was || strstr(counter->name, "SEQ_") || strstr(counter->name, "CONSEC_") ||
          strstr(counter->name, "SWITCHES") ||
          was != sum_of(&expected->two, row->module, counter->index))
        continue;
      snprintf(why, room, "all %s are %lld, not %lld", counter->name, (long long)now,
               (long long)was);
      return 0;
    }
  }
  return 1;
}

/* Returns 1 if the sums of traces, heat maps and MPI communication are as expected; otherwise 0,
 * with a reason in `why`. */
static int totals_are_right(const struct expected *expected, const struct result *result, char *why,
                            size_t room) {
  const struct result *one = &expected->one, *two = &expected->two;
  if (result->heat != one->heat && one->heat == two->heat)
    snprintf(why, room, "the heat map has %lld bytes, not %lld", (long long)result->heat,
             (long long)one->heat);
  else if (result->talked != one->talked && one->talked == two->talked)
    snprintf(why, room, "calls of MPI add up to %lld, not %lld", (long long)result->talked,
             (long long)one->talked);
  else if (result->traced != one->traced && one->traced == two->traced && !result->partial)
    snprintf(why, room, "the trace has %lld bytes, not %lld", (long long)result->traced,
             (long long)one->traced);
  return !why[0];
}

/* Returns 1 if the records are as expected; otherwise 0, with a reason in `why`. in_parts: whether
 * they come from several journals of a job. */
static int rows_are_right(const struct expected *expected, const struct result *result,
                          int in_parts, char *why, size_t room) {
  if (!totals_are_right(expected, result, why, room)) return 0;
  /* The journals of a job's ranks are not reduced yet. */
  if (has_overflow(result) || in_parts) return folded_rows_are_right(expected, result, why, room);
  /* Files of an MPI library have another name in each run. */
  size_t changing = 0, others = 0;
  for (size_t i = 0; i < expected->one.rows; i++) {
    const struct row *row = &expected->one.row[i];
    if (!same_row(&expected->two, row))
      changing++;
    else if (!row_is_right(expected, row, same_row(result, row), why, room))
      return 0;
  }
  for (size_t i = 0; i < result->rows; i++)
    others += !same_row(&expected->one, &result->row[i]);
  if (others > changing) snprintf(why, room, "a record too many");
  if (others < changing) snprintf(why, room, "a record of a file that changes is missing");
  return others == changing;
}

/* Reads the runtime's message from the file stderr into `line`, and removes the file, because
 * result.c accepts no message. Returns 1 if the file is empty or has exactly one line of the
 * runtime, otherwise 0. */
static int take_line(const struct place *place, char *line, size_t room) {
  char path[PATH_MAX + 16];
  snprintf(path, sizeof(path), "%s/stderr", place->work);
  FILE *file = fopen(path, "r");
  size_t n = file ? fread(line, 1, room - 1, file) : 0;
  if (file) fclose(file);
  unlink(path);
  line[n] = '\0';
  char *end = strchr(line, '\n');
  if (n == 0) return 1;
  if (!end) return 0;
  *end = '\0';
  return end[1] == '\0' && strncmp(line, spoken, sizeof(spoken) - 1) == 0;
}

/* Moves the retained journals that match the pattern (one, or those of a job) into the folder of
 * logs. Returns 1, or 0 if there are none or if one cannot be moved. */
static int take_kept(const struct place *place, const char *pattern) {
  char to[PATH_MAX + 64];
  glob_t found;
  size_t taken = 0;
  if (glob(pattern, 0, NULL, &found) != 0) return 0;
  for (; taken < found.gl_pathc; taken++) {
    snprintf(to, sizeof(to), "%s/kept-%zu.darshan", place->logs, taken);
    if (rename(found.gl_pathv[taken], to) < 0) break;
  }
  int all = taken == found.gl_pathc;
  globfree(&found);
  return all;
}

/* Moves the journal that a message names into the folder of logs, where it is read like a log.
 * Removes it instead if the message says that the log has the same records. Returns 0 if the
 * journal does not exist, otherwise 1, also if the message names none. */
static int take_named(const struct place *place, const char *line) {
  static const char doubled[] = "the log has the records that are in ";
  char from[PATH_MAX];
  const char *is_kept = kept_at(line), *is_doubled = strstr(line, doubled);
  if (!is_kept && !is_doubled) return 1;
  const char *at = is_kept ? is_kept : is_doubled + sizeof(doubled) - 1;
  snprintf(from, sizeof(from), "%.*s", (int)strcspn(at, " "), at); /* paths have no space here */
  if (!is_kept) return unlink(from) == 0;
  return take_kept(place, from);
}

unsigned count_logs(const struct place *place) {
  glob_t found;
  char pattern[PATH_MAX + 16];
  snprintf(pattern, sizeof(pattern), "%s/*.darshan", place->logs);
  unsigned logs = glob(pattern, 0, NULL, &found) == 0 ? (unsigned)found.gl_pathc : 0;
  globfree(&found);
  return logs;
}

/* Returns 1 if a message about retained files also reports the loss that `why` describes, otherwise
 * 0. A loss of traces must be mentioned as such, because journals contain no traces. */
static int lost_is_said(const char *line, const char *why) {
  return strstr(line, strstr(why, "trace") ? "traces are lost" : "some records are lost") != NULL;
}

/* Judges the records of a run: all must be there, or the message must report exactly what is lost.
 * logs: number of logs in the place. */
static void judge_records(struct verdict *verdict, const struct expected *expected,
                          const struct result *result, unsigned logs) {
  char why[200] = "";
  verdict->whole = !result->problem[0] &&
                   rows_are_right(expected, result, strstr(verdict->line, "-*.darshan") != NULL,
                                  why, sizeof(why));
  if (verdict->whole && logs != expected->logs && !strstr(verdict->line, "-*.darshan")) {
    verdict->whole = 0;
    snprintf(why, sizeof(why), "there are %u logs, not %u", logs, expected->logs);
  }
  if (result->problem[0])
    snprintf(verdict->why, sizeof(verdict->why), "%s", result->problem);
  else if (!verdict->whole && !verdict->line[0])
    snprintf(verdict->why, sizeof(verdict->why), "nothing was said, and %s", why);
  /* If all records are retained, the line must not report a loss. */
  else if (!verdict->whole && kept_at(verdict->line) && !lost_is_said(verdict->line, why))
    snprintf(verdict->why, sizeof(verdict->why), "not all was kept: %s", why);
  else if (verdict->whole && strstr(verdict->line, "lost") && !expected->one.traced)
    snprintf(verdict->why, sizeof(verdict->why), "nothing was lost");
}

void judge(struct verdict *verdict, const struct expected *expected, const struct place *place,
           const struct run *run) {
  struct result result;
  *verdict = (struct verdict){.why = ""};
  if (run->hung) {
    snprintf(verdict->why, sizeof(verdict->why), "it hangs");
    return;
  }
  int one_line = take_line(place, verdict->line, sizeof(verdict->line));
  int there = take_named(place, verdict->line);
  unsigned logs = count_logs(place);
  result_read(&result, place, run->status, 0, NULL);
  if (run->status != expected->bare.status)
    snprintf(verdict->why, sizeof(verdict->why), "it ended with %#x", run->status);
  else if (result.length != expected->bare.length ||
           memcmp(result.data, expected->bare.data, result.length) != 0)
    snprintf(verdict->why, sizeof(verdict->why), "its output is another");
  else if (!one_line)
    snprintf(verdict->why, sizeof(verdict->why), "not one line of ours");
  else if (!there)
    snprintf(verdict->why, sizeof(verdict->why), "the file that is named is not there");
  else
    judge_records(verdict, expected, &result, logs);
  result_free(&result);
}
