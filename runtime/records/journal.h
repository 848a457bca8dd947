/* The journal's file. Records are in windows of it that are mapped shared. At any moment the file
 * is an uncompressed log that the reader accepts, so the records survive any end of the process.
 *
 * The file is sparse, and its space is reserved in steps before a page is touched: a store to a
 * hole of a full file system would end the application with SIGBUS. These functions take no lock.
 */
#ifndef DARSHAN_JOURNAL_H
#define DARSHAN_JOURNAL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

enum { JOURNAL_PAGE = 4096 };

struct journal {
  size_t size;  /* of the file */
  int has_file; /* 0: records are in private memory only */
  int unsafe;   /* 1: the file system of the first path is not in in-place.def, but is writable */
  int on_tmpfs;
  dev_t dev; /* to recognise the file when it is reopened */
  ino_t ino;
  char path[4096]; /* empty: there will be no file */
};

/* Unit of mappings: JOURNAL_PAGE, or the kernel's page if that is larger (up to 64 KiB on AArch64).
 */
extern size_t journal_page;
void journal_ask_page(void);

static inline size_t journal_page_up(size_t n) {
  return (n + journal_page - 1) & ~(journal_page - 1);
}
static inline size_t journal_page_down(size_t n) {
  return n & ~(journal_page - 1);
}

/* Creates the journal's file with its full size and without reserved space. Returns a descriptor,
 * or a negative value. If journals must not be mapped on the file system (in-place.def), creates
 * the file in memory and changes journal->path. */
int journal_create(struct journal *journal);
/* Reopens the journal's own file; returns a descriptor, or a negative value. No descriptor stays
 * open, because applications close unknown descriptors. */
int journal_open(const struct journal *journal);
/* Reads the file's status without a descriptor. Returns 0, or a negative errno (ENOENT: the path
 * has no file, or another one). */
int journal_look(const struct journal *journal, struct stat *st);

/* Reserves space for [from, to), which no page of the file has yet: it reads as zeros, and stores
 * there cannot fail. Returns 0, or -1 if the disk is full or the application's current file size
 * limit is too low. */
int journal_reserve(const struct journal *journal, int fd, size_t from, size_t to);

/* Maps the pages of n bytes of a window for writing; their contents stay. Returns 0, or -1 if the
 * file system has no block for a page. */
int journal_make_pages(char *at, size_t n);

/* Maps the pages with [from, to) of the file, or of private memory if fd is negative. Returns the
 * address of from, NULL on failure. */
char *journal_window(int fd, size_t from, size_t to);
/* Replaces the pages of `window` by those of the window `by`, which has the same offsets in the
 * file and is unmapped. Returns 0, or -1 if the mapping fails. */
int journal_replace(char *window, char *by, size_t from, size_t to);
void journal_unmap(char *window, size_t from, size_t to);

/* Renames the file and stores the new path, if that path is free; else nothing changes. */
void journal_rename(struct journal *journal, const char *path);
/* Removes the file; returns a negative value if it still exists. Its windows stay usable. */
int journal_remove(struct journal *journal);

#endif
