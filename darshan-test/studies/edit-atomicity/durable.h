/* Functions that read, write and sync completely, or return an error. */
#ifndef STUDY_DURABLE_H
#define STUDY_DURABLE_H

#include <stddef.h>
#include <sys/types.h>

/* Whether files are synced. If not, an edit survives a kill, but possibly not a loss of power. */
extern int durable;

/* Prints "h5edit: WHAT PATH: " and the meaning of errno to stderr. Returns -1. */
int complain(const char *what, const char *path);

/* Like pread or pwrite, but transfers all bytes. Returns 0, or -1 with errno, which is EIO if the
 * file ends before. */
int read_all(int fd, void *buffer, size_t size, off_t offset);
int write_all(int fd, const void *buffer, size_t size, off_t offset);

/* Syncs a file, given by its descriptor or name, or the folder that it is in. Does nothing and
 * returns 0 with --no-sync. Returns 0, or -1 with errno. */
int sync_descriptor(int fd);
int sync_file(const char *path);
int sync_folder_of(const char *path);

/* Returns a new string: the path with "." before the file's name and the suffix after it. The
 * caller frees it; NULL if out of memory. */
char *hidden_name(const char *path, const char *suffix);

#endif
