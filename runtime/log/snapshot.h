/* Where a journal can be mapped nowhere (in-place.def, and no room in memory that is a
 * file), records are in private memory, and a kill would lose them all.  There a file
 * with the journal's name is written at intervals: by a thread that holds nothing, at
 * most one second in a hundred, under another name first, so that the one before is
 * whole until the next one is.  A kill loses what came after the last. */
#ifndef DARSHAN_SNAPSHOT_H
#define DARSHAN_SNAPSHOT_H

/* From now on, in this process, to the store's journal.path. */
void snapshot_begin(void);
/* Now and then, with any lock held: has the time come?  Then the next event says
 * snapshot_take, before it has taken a lock. */
void snapshot_look(void);
void snapshot_take(void);
/* 0 if one is the last: of all records, when recording has ended. */
int snapshot_last(void);
const char *snapshot_path(void);
/* The log has everything. */
void snapshot_remove(void);

#endif
