/* The journal: a file, mapped shared, in which the records live.  It is at all
 * times an uncompressed log that the reader understands, so whatever ends the
 * process, what was counted stays.
 *
 * The file is sparse and its room is reserved in steps before a page is
 * touched: storing to a hole of a full file system would kill the application
 * with SIGBUS.  When there is no room left, the rest of the mapping becomes
 * anonymous memory: counting goes on, only a crash would lose that part. */
#ifndef DARSHAN_JOURNAL_H
#define DARSHAN_JOURNAL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct journal {
  char *base; /* NULL: not started */
  size_t size;
  int has_file; /* 0: anonymous memory only */
  int fd;       /* open between journal_map and journal_ready only, else -1 */
  dev_t dev;    /* to recognise the file when it is opened again */
  ino_t ino;
  char path[4096];
};

/* A part of the journal that fills from its start. */
struct journal_part {
  size_t start;  /* offset in the journal */
  size_t end;    /* room ends here; a page boundary */
  size_t usable; /* bytes from start that may be touched */
  size_t kept;   /* bytes from start that are backed by the file */
};

/* Maps a journal of size bytes (a page multiple) at journal->path; with no file
 * where the path is empty or unusable.  Returns 0, -1 when not even memory can
 * be had. */
int journal_map(struct journal *journal, size_t size);
/* The first reservations are made: no descriptor stays open. */
void journal_ready(struct journal *journal);

/* Makes at least needed bytes of the part usable; 0, or -1 if the part is too
 * small.  Reserves ahead in growing steps. */
int journal_reserve(struct journal *journal, struct journal_part *part, size_t needed);

/* Gives the file another name, if it can be had. */
void journal_rename(struct journal *journal, const char *path);

/* Removes the file.  The mapping stays usable. */
void journal_remove(struct journal *journal);

/* Puts the journal, whose file was removed, into a new file of the same name:
 * for an exec that failed after all. */
void journal_restore(struct journal *journal);

/* Anonymous, zeroed, lazily touched memory; NULL if there is none. */
void *journal_private_memory(size_t size);

#endif
