/* The undo journal, .NAME.undo: what the file held wherever it was overwritten.
 *
 * README.md describes the protocol.  Numbers are in the machine's byte order: a journal
 * is read on the machine that wrote it. */
#ifndef STUDY_UNDO_H
#define STUDY_UNDO_H

#include <stddef.h>
#include <sys/types.h>

struct undo;

/* Starts a journal for this file, durable on return; NULL after a message. */
struct undo *undo_begin(const char *path);

/* To be called before these bytes of the file are overwritten or cut off: on return
 * what they were is durable.  Bytes behind the original end need no saving.  0, or -1
 * after a message: then they must not be overwritten. */
int undo_save(struct undo *undo, off_t offset, size_t length);

/* The file is complete and durable: removes the journal, which makes the edit final.
 * Frees it also on error (-1 after a message). */
int undo_commit(struct undo *undo);

/* Frees it and leaves the journal to undo_recover. */
void undo_abandon(struct undo *undo);

/* If there is a journal, gives the file its bytes and size back and removes the
 * journal: 1 if so, 0 if there was none, -1 after a message.  May itself be killed
 * and started again. */
int undo_recover(const char *path);

#endif
