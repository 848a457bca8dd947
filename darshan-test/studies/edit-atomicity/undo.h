/* The undo journal, .NAME.undo: the original bytes of all overwritten ranges of the file. README.md
 * describes the protocol. Numbers are in the machine's byte order, because a journal is read on the
 * machine that wrote it. */
#ifndef STUDY_UNDO_H
#define STUDY_UNDO_H

#include <stddef.h>
#include <sys/types.h>

struct undo;

/* Starts a journal for this file, which is durable on return. The result is freed by undo_commit or
 * undo_abandon; NULL after a message. */
struct undo *undo_begin(const char *path);

/* Must be called before these bytes of the file are overwritten or truncated: on return their old
 * values are durable. Bytes after the original end need not be saved. Returns 0, or -1 after a
 * message: then the bytes must not be overwritten. */
int undo_save(struct undo *undo, off_t offset, size_t length);

/* Removes the journal, which makes the edit final; the file must be complete and durable. Returns
 * 0, or -1 after a message. Frees `undo` in both cases. */
int undo_commit(struct undo *undo);

/* Frees `undo` and leaves the journal for undo_recover. */
void undo_abandon(struct undo *undo);

/* Restores the file's bytes and size from an existing journal and removes the journal. Returns 1 if
 * it did, 0 if there was no journal, -1 after a message. Can be killed and started again. */
int undo_recover(const char *path);

#endif
