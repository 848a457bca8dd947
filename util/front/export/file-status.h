/* The status of a file as the kernel has it in memory: sends no request to a file server or to a
 * file system in user space, which may hang. */
#ifndef DARSHAN_FILE_STATUS_H
#define DARSHAN_FILE_STATUS_H

#include <stdint.h>
#include <sys/types.h>

struct file_status {
  mode_t mode;
  uid_t owner;
  uint64_t inode;
  dev_t device;
};

/* Stores the status of a name in an open folder. Follows no link and mounts nothing. Returns 0, or
 * -1 with errno set. */
int file_status(int folder, const char *name, struct file_status *status);

#endif
