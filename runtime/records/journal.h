/* The journal's file. Records are in windows (mappings, shared with the file). At any moment the
 * file is an uncompressed log that the reader accepts, so the records survive however the process
 * ends.
 *
 * The file is sparse, and its space is reserved in steps before a page is touched: a store to a
 * hole of a full file system would end the application with SIGBUS. These functions take no
 * lock. */
#ifndef DARSHAN_JOURNAL_H
#define DARSHAN_JOURNAL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

enum { JOURNAL_PAGE = 4096 };

struct journal {
  size_t size;  /* size of the file in bytes */
  int has_file; /* 0: records are in private memory only */
  int unsafe; /* 1: the file system of the configured folder is not in in-place.def, but is writable
               */
  int on_tmpfs;
  dev_t dev; /* they identify the file when it is reopened */
  ino_t ino;
  char path[4096]; /* empty: no file will be made */
};

/* Unit of mappings: JOURNAL_PAGE, or the kernel's page size if that is larger (up to 64 KiB on
 * AArch64). */
extern size_t journal_page;
/* Sets journal_page. Called once, at the start. */
void journal_ask_page(void);

static inline size_t journal_page_up(size_t n) {
  return (n + journal_page - 1) & ~(journal_page - 1);
}
static inline size_t journal_page_down(size_t n) {
  return n & ~(journal_page - 1);
}

/* Creates the journal's file with its full size and without reserved space. Returns a descriptor,
 * or a negative value if there can be no journal. If journals must not be mapped on the file system
 * (in-place.def), creates the file in memory and changes journal->path. */
int journal_create(struct journal *journal);
/* Reopens the journal's own file. Returns a descriptor, or a negative value. The runtime keeps no
 * descriptor of it open, because applications close descriptors that they do not know. */
int journal_open(const struct journal *journal);
/* Reads the file's status without a descriptor. Returns 0, or a negative errno (ENOENT: there is no
 * file at the path, or another file). */
int journal_look(const struct journal *journal, struct stat *st);

/* Reserves space from offset `from` to `to`, where the file has no pages yet; the space then reads
 * as zeros. After journal_make_pages, stores there do not fail for lack of space. Returns 0, or -1
 * if the disk is full or the application's file size limit is too low. */
int journal_reserve(const struct journal *journal, int fd, size_t from, size_t to);

/* Maps the pages of n bytes of a window for writing. Their contents do not change. Returns 0, or -1
 * if the file system has no block for a page. */
int journal_make_pages(char *at, size_t n);

/* Maps the pages from offset `from` (in bytes) to `to` (exclusive) of the file, or of private
 * memory if fd is negative. Returns the address of offset `from`, or NULL on failure. */
char *journal_window(int fd, size_t from, size_t to);
/* Replaces the pages of `window` by those of the window `by`, which has the same offsets (from, to)
 * in the file. Afterwards `by` is not mapped any more. Returns 0, or -1 if the mapping fails. */
int journal_replace(char *window, char *by, size_t from, size_t to);
void journal_unmap(char *window, size_t from, size_t to);

/* Renames the file and stores the new path. Changes nothing if the path is "", a file has it, or
 * the journal has no file. */
void journal_rename(struct journal *journal, const char *path);
/* Removes the journal's file; its windows stay usable. Returns 0, or a negative value if the file
 * still exists. */
int journal_remove(struct journal *journal);

#endif
