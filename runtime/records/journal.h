/* The journal's file.  Records live in windows of it that are mapped shared, each
 * as large as it has to be; the whole is at all times an uncompressed log that
 * the reader understands, so whatever ends the process, what was counted stays.
 *
 * The file is sparse and its room is reserved in steps before a page is touched:
 * storing to a hole of a full file system would kill the application with SIGBUS.
 * Nothing here takes a lock or waits for one; records/store.h says who calls. */
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
  int unsafe;   /* 1: because no file may be mapped there, though one may be written */
  dev_t dev;    /* to recognise the file when it is opened again */
  ino_t ino;
  char path[4096]; /* empty: there is to be no file */
};

/* What is mapped at once: JOURNAL_PAGE, or more where the kernel has larger pages (up to
 * 64 KiB on AArch64). */
extern size_t journal_page;
void journal_ask_page(void);

static inline size_t journal_page_up(size_t n) {
  return (n + journal_page - 1) & ~(journal_page - 1);
}
static inline size_t journal_page_down(size_t n) {
  return n & ~(journal_page - 1);
}

/* The new file, of full size and without room; a descriptor, or negative.  If its
 * folder is on a file system that does not promise that stores into its room work
 * (in-place.def), it is made in memory, and path says where. */
int journal_create(struct journal *journal);
/* The journal's own file again, or negative: no descriptor is kept open, because
 * programs close descriptors that they do not know. */
int journal_open(const struct journal *journal);
/* Without a descriptor: 0 and what is known of the file if it is still ours under its
 * name, an error otherwise (ENOENT: it is gone, or a stranger's). */
int journal_look(const struct journal *journal, struct stat *st);

/* Fills [from, to) with zeros, so that stores there cannot fail.  0 or -1: full, or
 * more than the program's own limit of the moment allows. */
int journal_reserve(int fd, size_t from, size_t to);

/* Makes the pages of a window that n bytes from here are in, so that stores there find
 * them; each keeps what it holds.  0, or -1: the file system has no block for one. */
int journal_make_pages(char *at, size_t n);

/* Maps the pages with [from, to) of the file, or of private memory where fd is
 * negative; the address of from, NULL: none. */
char *journal_window(int fd, size_t from, size_t to);
/* Puts the pages of one window in the place of those of another of the same
 * offsets.  0 or -1. */
int journal_replace(char *window, char *by, size_t from, size_t to);
void journal_unmap(char *window, size_t from, size_t to);

/* Gives the file another name, if it can be had. */
void journal_rename(struct journal *journal, const char *path);
/* Removes the file; negative if it is still there.  Its windows stay usable. */
int journal_remove(struct journal *journal);

#endif
