/* Recording without a journal: snapshots if no journal can be mapped, and the end of recording if
 * the journal is truncated. */
#ifndef DARSHAN_WITHOUT_JOURNAL_H
#define DARSHAN_WITHOUT_JOURNAL_H

#include "../door/door.h"

/* Snapshots: writes the records to a file at intervals if no journal can be mapped, neither on the
 * file system (in-place.def) nor in a file in memory. Without snapshots the records would be only
 * in private memory, and a kill would lose all of them. The file has the journal's name. A thread
 * that holds no lock writes it, in at most 1 % of the time, under another name first, so that the
 * previous file stays until the new one is complete. A kill loses the events after the last
 * snapshot. */

/* Prepares snapshots of this process at the path of the store's journal, if the path is not empty.
 * Removes an earlier snapshot. */
void snapshot_begin(void);
/* snapshot_look checks whether a snapshot is due; the caller may hold any lock. If it is due, the
 * next event calls snapshot_take before it takes a lock. snapshot_take writes the snapshot if one
 * is due. */
void snapshot_look(void);
void snapshot_take(void);
/* Writes all records after recording has ended. Returns 0, or a negative value if the process takes
 * no snapshots or the file cannot be written. */
int snapshot_last(void);
const char *snapshot_path(void); /* of the file; "" before snapshot_begin */
/* Removes the file, because the log has all records, or there will be no log, or a new path begins.
 * After a change of the root directory the file stays. */
void snapshot_remove(void);

/* Handles SIGBUS of a mapped journal that was truncated: the next store to it would end the
 * application. The runtime's handler ends the recording, and the application continues. The handler
 * is installed only while the application has the default action. */

/* Installs the handler of SIGBUS. Called when a journal has been mapped. */
void torn_watch(void);

/* Returns 1 if records were lost because the journal was truncated, otherwise 0. */
int torn_apart(void);
/* If the journal was truncated, adds a message about the loss, once, and removes the file. Called
 * after recording has ended. */
void torn_settle(void);

#endif
