/* Makes the PROCESS record of a rank, and the name of that record (row.h). */
#include "row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../../runtime/job/text/text.h"
#include "../../../runs/unattributed.h"
#include "../processes/launch-ranks.h"
#include "record-id.h"

/* --- the name ------------------------------------------------------------------------ */

static const struct run_process *first_of(const struct run_tree *tree,
                                          const struct run_rank *rank) {
  return &tree->processes[rank->first];
}

/* Appends at most `most` bytes of the text, as whole characters and without control characters. */
static void add_text(struct row_name *name, const char *text, size_t most) {
  size_t room = sizeof(name->text) - 1 - name->used, length = strnlen(text, most + 1);
  if (most > room) most = room;
  if (length > most) {
    length = most;
    while (length > 0 && (text[length] & 0xc0) == 0x80)
      length--;
  }
  memcpy(name->text + name->used, text, length);
  darshan_utf8_make_clean(name->text + name->used, length);
  name->used += length;
  name->text[name->used] = '\0';
}

static const char arrow[] = " -> ", dots[] = "...";

/* Adds a command line, at most ROW_COMMAND bytes of it; "?" for "". If there is no space for it and
 * one more, remembers it in name->last. */
static void add_command(struct row_name *name, const char *command) {
  enum { LATER = 2 * (sizeof(arrow) - 1) + sizeof(dots) - 1 + ROW_COMMAND };
  if (command[0] == '\0') command = "?";
  size_t length = strnlen(command, ROW_COMMAND) + sizeof(arrow) - 1;
  if (name->left_out > 0 || name->used + length + LATER > ROW_NAME) {
    snprintf(name->last, sizeof(name->last), "%s", command);
    name->left_out++;
    return;
  }
  if (name->programs++ > 0) add_text(name, arrow, ROW_NAME);
  add_text(name, command, ROW_COMMAND);
}

/* Appends the last command that did not fit; writes dots before it if several commands did not
 * fit. */
static void add_last(struct row_name *name) {
  if (name->left_out == 0) return;
  if (name->programs++ > 0) add_text(name, arrow, ROW_NAME);
  if (name->left_out > 1) {
    add_text(name, dots, ROW_NAME);
    add_text(name, arrow, ROW_NAME);
  }
  add_text(name, name->last, ROW_COMMAND);
}

/* Returns the index of the first program of a process; -1 if none is known. Skips the copy of the
 * parent's program in a forked child that called exec. */
static int first_program(const struct run_tree *tree, const struct run_process *process) {
  int first = process->first_program;
  if (first >= 0 && tree->programs[first].forked && tree->programs[first].next >= 0)
    return tree->programs[first].next;
  return first;
}

void row_name_begin(struct row_name *name, const struct run_tree *tree,
                    const struct run_rank *rank) {
  const struct run_process *process = first_of(tree, rank);
  const char *host = tree->places[process->place].host;
  *name = (struct row_name){.next = rank->folded ? process->last_program
                                                 : first_program(tree, process)};
  add_text(name, host[0] ? host : "?", RUN_HOST);
  add_text(name, ": ", 2);
  if (rank->folded) { /* processes that share a rank share only the name of the program */
    if (name->next >= 0) add_command(name, tree->programs[name->next].name);
    name->next = -1;
  }
}

void row_name_add(struct row_name *name, const struct run_tree *tree, int program,
                  const char *command) {
  const struct run_program *programs = tree->programs;
  while (name->next >= 0 && name->next != program &&
         programs[name->next].start_ns <= programs[program].start_ns) {
    add_command(name, programs[name->next].name);
    name->next = programs[name->next].next;
  }
  if (name->next != program) return;
  add_command(name, command);
  name->next = programs[program].next;
}

void row_name_first(struct row_name *name, const struct run_tree *tree, const char *command) {
  add_command(name, command);
  if (name->next >= 0) name->next = tree->programs[name->next].next;
}

uint64_t row_name_end(struct row_name *name, const struct run_tree *tree) {
  for (; name->next >= 0; name->next = tree->programs[name->next].next)
    add_command(name, tree->programs[name->next].name);
  add_last(name);
  if (name->programs == 0) add_text(name, "(not seen)", ROW_COMMAND);
  return darshan_hash(name->text, name->used, 0);
}

/* --- the record ------------------------------------------------------------------------ */

static double seconds_after(int64_t start_ns, int64_t then_ns) {
  return then_ns > start_ns ? (double)(then_ns - start_ns) * 1e-9 : 0;
}

/* Adds a process to the numbers of processes, programs and failures, and to the times of the
 * record. */
static void add_process(struct darshan_process_record *record, const struct run_tree *tree,
                        const struct run_process *process, int64_t run_start_ns) {
  int64_t *counters = record->counters;
  double *times = record->fcounters;
  double start = seconds_after(run_start_ns, process->start_ns);
  double end = seconds_after(run_start_ns, process->end_ns);
  counters[PROCESS_COUNT]++;
  counters[PROCESS_PROGRAMS] += process->programs > 0 ? process->programs : 1;
  counters[PROCESS_FAILED] += process->failed;
  for (int i = process->first_program; i >= 0; i = tree->programs[i].next)
    if (tree->programs[i].launcher) counters[PROCESS_LAUNCHER] = 1;
  if (counters[PROCESS_COUNT] == 1 || start < times[PROCESS_F_START_TIMESTAMP])
    times[PROCESS_F_START_TIMESTAMP] = start;
  if (end > times[PROCESS_F_END_TIMESTAMP]) times[PROCESS_F_END_TIMESTAMP] = end;
}

/* Returns 1 for the records of the standard streams, which every process inherits; otherwise 0. If
 * a standard stream is a file, its record has the name of the file. Time in a pipe is only waiting
 * for another process. */
static int is_standard_stream(uint64_t id) {
  static const char *const names[] = {"<STDIN>", "<STDOUT>", "<STDERR>"};
  static uint64_t ids[3];
  for (int i = 0; i < 3; i++) {
    if (ids[i] == 0) ids[i] = darshan_hash(names[i], strlen(names[i]), 0);
    if (ids[i] == id) return 1;
  }
  return 0;
}

/* Adds a value to a sum. The sum wraps if it overflows, because counters are untrusted. */
static void add(int64_t *sum, int64_t more) {
  *sum = (int64_t)((uint64_t)*sum + (uint64_t)more);
}

/* Indexes of the PROCESS counters and times that are sums over the files of a module. Entry n of
 * `sums` and `times` is the sum of entry n of that module's list (`of`, `fof`). */
enum { SUMS = 5, TIMES = 3 };
static const int sums[SUMS] = {PROCESS_OPENS, PROCESS_READS, PROCESS_WRITES, PROCESS_BYTES_READ,
                               PROCESS_BYTES_WRITTEN};
static const int times[TIMES] = {PROCESS_F_READ_TIME, PROCESS_F_WRITE_TIME, PROCESS_F_META_TIME};

/* Adds a file's counters and times to a PROCESS record. of, fof: indices in the file's record. */
static void add_record(struct darshan_process_record *record, const int64_t *counters,
                       const int *of, const double *fcounters, const int *fof) {
  for (int i = 0; i < SUMS; i++)
    add(&record->counters[sums[i]], counters[of[i]]);
  for (int i = 0; i < TIMES; i++)
    record->fcounters[times[i]] += fcounters[fof[i]];
}

static int by_id(const void *a, const void *b) {
  const uint64_t *left = a, *right = b;
  return *left < *right ? -1 : *left > *right;
}

/* Sorted ids of records. */
struct ids {
  uint64_t *at;
  size_t count;
};

static int has_id(const struct ids *ids, uint64_t id) {
  return ids->count && bsearch(&id, ids->at, ids->count, sizeof(id), by_id);
}

/* Finds the named pipes for which the process waited in open. The caller frees the ids. Returns 0,
 * or -1 if out of memory. */
static int find_pipes(struct ids *pipes, const struct row_files *files) {
  const struct darshan_posix_ext_record *posix = (const void *)files->posix_ext->at;
  const struct darshan_stdio_ext_record *stdio = (const void *)files->stdio_ext->at;
  size_t count = files->posix_ext->n / sizeof(*posix),
         streams = files->stdio_ext->n / sizeof(*stdio);
  size_t most = 0;
  *pipes = (struct ids){NULL, 0};
  for (size_t i = 0; i < count; i++)
    most += posix[i].counters[POSIX_EXT_FIFO_OPENS] > 0;
  for (size_t i = 0; i < streams; i++)
    most += stdio[i].counters[STDIO_EXT_FIFO_OPENS] > 0;
  if (most == 0) return 0;
  if (!(pipes->at = malloc(most * sizeof(*pipes->at)))) return -1;
  for (size_t i = 0; i < count; i++)
    if (posix[i].counters[POSIX_EXT_FIFO_OPENS] > 0) pipes->at[pipes->count++] = posix[i].base.id;
  for (size_t i = 0; i < streams; i++)
    if (stdio[i].counters[STDIO_EXT_FIFO_OPENS] > 0) pipes->at[pipes->count++] = stdio[i].base.id;
  qsort(pipes->at, pipes->count, sizeof(*pipes->at), by_id);
  return 0;
}

static void add_posix(struct darshan_process_record *record, const struct bytes *records,
                      const struct ids *pipes) {
  static const int of[SUMS] = {POSIX_OPENS, POSIX_READS, POSIX_WRITES, POSIX_BYTES_READ,
                               POSIX_BYTES_WRITTEN};
  static const int fof[TIMES] = {POSIX_F_READ_TIME, POSIX_F_WRITE_TIME, POSIX_F_META_TIME};
  const struct darshan_posix_record *from = (const void *)records->at;
  for (size_t i = 0; i < records->n / sizeof(*from); i++)
    if (!has_id(pipes, from[i].base.id))
      add_record(record, from[i].counters, of, from[i].fcounters, fof);
}

static void add_stdio(struct darshan_process_record *record, const struct bytes *records,
                      const struct ids *pipes) {
  static const int of[SUMS] = {STDIO_OPENS, STDIO_READS, STDIO_WRITES, STDIO_BYTES_READ,
                               STDIO_BYTES_WRITTEN};
  static const int fof[TIMES] = {STDIO_F_READ_TIME, STDIO_F_WRITE_TIME, STDIO_F_META_TIME};
  const struct darshan_stdio_record *from = (const void *)records->at;
  for (size_t i = 0; i < records->n / sizeof(*from); i++)
    if (!is_standard_stream(from[i].base.id) && !has_id(pipes, from[i].base.id))
      add_record(record, from[i].counters, of, from[i].fcounters, fof);
}

/* Returns the sorted ids of the records, which the caller frees. Returns NULL if there are no
 * records, or if out of memory. */
static uint64_t *sorted_ids(const struct darshan_posix_record *records, size_t count) {
  uint64_t *ids = count ? malloc(count * sizeof(*ids)) : NULL;
  for (size_t i = 0; ids && i < count; i++)
    ids[i] = records[i].base.id;
  if (ids) qsort(ids, count, sizeof(*ids), by_id);
  return ids;
}

/* Adds the seconds of operations on names and folders, which POSIX_EXT records count. posix: the
 * POSIX records of the rank. Returns 0, or -1 if out of memory. */
static int add_names(struct darshan_process_record *record, const struct bytes *extensions,
                     const struct bytes *posix) {
  const struct darshan_posix_ext_record *from = (const void *)extensions->at;
  size_t count = extensions->n / sizeof(*from);
  size_t files = posix->n / sizeof(struct darshan_posix_record);
  uint64_t *ids = count ? sorted_ids((const void *)posix->at, files) : NULL;
  struct beside_sums sums = {0};
  if (count && files && !ids) return -1;
  for (size_t i = 0; i < count; i++) {
    uint64_t id = from[i].base.id;
    beside_add(&sums, &from[i], ids && bsearch(&id, ids, files, sizeof(*ids), by_id));
  }
  free(ids);
  record->fcounters[PROCESS_F_META_TIME] += beside_metadata(&sums);
  record->fcounters[PROCESS_F_WRITE_TIME] += sums.syncs;
  return 0;
}

int row_sum(struct darshan_process_record *record, const struct row_files *files) {
  struct ids pipes;
  if (find_pipes(&pipes, files) < 0) return -1;
  add_posix(record, files->posix, &pipes);
  add_stdio(record, files->stdio, &pipes);
  free(pipes.at);
  return add_names(record, files->posix_ext, files->posix);
}

/* Returns the reason why I/O of the process was not completely recorded; RUN_WATCHED if it was
 * recorded. */
static int64_t unseen(const struct run_process *process) {
  if (process->unseen) return process->unseen;
  return process->told || process->first_part >= 0 ? RUN_WATCHED : RUN_SILENT;
}

int row_add(struct combined *combined, const struct run_tree *tree, const struct run_rank *rank,
            uint64_t id, int64_t run_start_ns) {
  const struct run_process *first = first_of(tree, rank);
  struct darshan_process_record record = {.base = {.id = id}};
  int parent = first->parent;
  record.counters[PROCESS_PID] = first->pid;
  record.counters[PROCESS_PARENT] = first->parent_pid;
  record.counters[PROCESS_PARENT_RANK] = parent >= 0 ? tree->processes[parent].rank : -1;
  record.counters[PROCESS_JOB_RANKS] = rank->job ? first->job_ranks : 0;
  record.counters[PROCESS_ENDED] = rank->count == 1 ? (int64_t)first->how : 0;
  record.counters[PROCESS_STATUS] = rank->count == 1 ? first->status : -1;
  for (int i = rank->first; i >= 0; i = tree->processes[i].next_of_rank)
    add_process(&record, tree, &tree->processes[i], run_start_ns);
  const struct run_process *speaker = world_speaker(tree, first);
  record.counters[PROCESS_UNSEEN] = unseen(first);
  record.counters[PROCESS_WORLD_RANK] = speaker ? speaker->world_rank : -1;
  record.counters[PROCESS_WORLD_SIZE] = speaker ? speaker->world_size : 0;
  record.counters[PROCESS_LAUNCH] = speaker ? speaker->launch : 0;
  const struct row_files files = {&combined->modules[DARSHAN_MOD_POSIX].records,
                                  &combined->modules[DARSHAN_MOD_STDIO].records,
                                  &combined->modules[DARSHAN_MOD_POSIX_EXT].records,
                                  &combined->modules[DARSHAN_MOD_STDIO_EXT].records};
  if (row_sum(&record, &files) < 0) return -1;
  return combined_record(combined, DARSHAN_MOD_PROCESS, &record, sizeof(record));
}
