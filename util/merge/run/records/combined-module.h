/* Declares the records of one module of a rank, while they are combined into one record per
 * file. */
#ifndef DARSHAN_MERGE_COMBINED_MODULE_H
#define DARSHAN_MERGE_COMBINED_MODULE_H

#include "bytes.h"
#include "part.h"

struct combined_trace; /* of one file */

struct combined_module {
  struct bytes records; /* all records, one after another */
  struct map by_id;     /* record id -> offset in records; for DXT: index in traces */
  struct combined_trace *traces;
  size_t num_traces, room_traces; /* number of traces; capacity of the list */
  int with_threads;               /* 1: a segment has a thread id */
  int partial;                    /* 1: a part lacks records of this module */
};

/* Remembers for the whole process whether any log so far has traces with thread ids. Called for
 * every log before the first log is combined. If one log has thread ids, the traces of all ranks
 * get a thread field, because all traces share a region. */
void traces_note(const darshan_log *log);
/* Adds the traces of a part of a run. shift: seconds that are added to their times. Returns 0, or
 * -1 if out of memory. */
int traces_add(struct combined_module *into, const struct part_module *from, const char *records,
               double shift);
/* Makes the records of the traces. They have the layout that releases up to 3.5.0 read, unless a
 * part has threads. Returns 0, or -1 if out of memory. */
int traces_finish(struct combined_module *module);
void traces_clear(struct combined_module *module);
/* Returns the size of a record that traces_finish made, in bytes. */
size_t trace_size(const struct combined_module *module, const char *record);
/* Returns the record version of the traces that traces_finish made. id: module id. */
uint32_t trace_version(const struct combined_module *module, int id);

#endif
