/* Functions that read and write all bytes and sync them, and that print errors. */
#ifndef STUDY_DURABLE_H
#define STUDY_DURABLE_H

#include <stddef.h>
#include <sys/types.h>

/* Whether files are synced. If not, an edit survives a kill, but possibly not a loss of power. */
extern int durable;

/* Prints "h5edit: ", the texts `what` and `path`, and errno's meaning. Returns -1. */
int complain(const char *what, const char *path);

/* Like pread and pwrite, but for all bytes. They return 0, or -1 with errno, which is EIO if the
 * file ends. */
int read_all(int fd, void *buffer, size_t size, off_t offset);
int write_all(int fd, const void *buffer, size_t size, off_t offset);

/* Syncs a file, given by its descriptor or name, or the folder that it is in; does nothing if the
 * mode is not durable. Returns 0, or -1 with errno. */
int sync_descriptor(int fd);
int sync_file(const char *path);
int sync_folder_of(const char *path);

/* Returns the path with "." before and this suffix after the file's name. The caller frees it; NULL
 * if there is no memory. */
char *hidden_name(const char *path, const char *suffix);

#endif
