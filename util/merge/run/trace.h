/* Traces (DXT) of a rank: the segments of all its programs, file by file. */
#ifndef DARSHAN_MERGE_TRACE_H
#define DARSHAN_MERGE_TRACE_H

#include "combined-module.h"
#include "part.h"

/* Called for every log before the first is combined: where one of them has threads, the traces
 * of all ranks are written with them, since they share a region. */
void traces_note(const darshan_log *log);
/* Takes the traces of a part, moved by that many seconds.  0, or -1: no memory. */
int traces_add(struct combined_module *into, const struct part_module *from, const char *records,
               double shift);
/* Their records: in the layout that releases up to 3.5.0 read, but with threads if a part has
 * them.  0 or -1. */
int traces_finish(struct combined_module *module);
void traces_clear(struct combined_module *module);
size_t trace_size(const struct combined_module *module, const char *record);
uint32_t trace_version(const struct combined_module *module, int id);

#endif
