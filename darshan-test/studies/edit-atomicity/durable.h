/* Functions that read, write and sync completely, or print an error. */
#ifndef STUDY_DURABLE_H
#define STUDY_DURABLE_H

#include <stddef.h>
#include <sys/types.h>

/* Whether files are synced. If not, an edit survives a kill, but possibly not a loss of power. */
extern int durable;

/* Prints "h5edit: " and the text with errno's meaning; returns -1. */
int complain(const char *what, const char *path);

/* Does the same as pread or pwrite, but for all bytes. Returns 0, or -1 with errno, which is EIO if
 * the file ends. */
int read_all(int fd, void *buffer, size_t size, off_t offset);
int write_all(int fd, const void *buffer, size_t size, off_t offset);

/* Syncs a file, given by its descriptor or name, or the folder that it is in; does nothing if the
 * mode is not durable. Returns 0, or -1 with errno. */
int sync_descriptor(int fd);
int sync_file(const char *path);
int sync_folder_of(const char *path);

/* Returns the path with "." before and this suffix after the file's name; the caller frees it. */
char *hidden_name(const char *path, const char *suffix);

#endif
