/* What the kernel has in memory of a file, without a question to the server of its file system or
 * to a file system in user space. */
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

/* Looks at a name in an open folder; follows no link and mounts nothing. Returns 0, or -1 with
 * errno set. */
int file_status(int folder, const char *name, struct file_status *status);

#endif
