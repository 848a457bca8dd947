/* Writes the records to a file at intervals if no journal can be mapped: neither on the file system
 * (in-place.def) nor in a file in memory. Then the records are in private memory, and a kill would
 * lose all of them. The file has the journal's name. A thread that holds no lock writes it, in at
 * most 1 % of the time, under another name first, so that the previous file stays until the new one
 * is complete. A kill loses the events after the last snapshot. */
#ifndef DARSHAN_SNAPSHOT_H
#define DARSHAN_SNAPSHOT_H

/* Lets later calls of this file write snapshots of this process, to the path of the store's
 * journal. Removes an earlier snapshot. */
void snapshot_begin(void);
/* Checks whether a snapshot is due. If so, the next event calls snapshot_take before it takes a
 * lock. The caller may hold any lock. */
void snapshot_look(void);
void snapshot_take(void);
/* Writes all records after recording has ended. Returns 0, or a negative value if the file
 * cannot be written. */
int snapshot_last(void);
const char *snapshot_path(void);
/* Removes the file, because the log has all records. */
void snapshot_remove(void);

#endif
