/* Stores the status of a file by the system call statx (followed.h): musl has the function only
 * since 1.2.5. */
#define _GNU_SOURCE
#include "followed.h"

#include <assert.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum {
  WANTED = 0x0001 /* type */ | 0x0008 /* owner */ | 0x0100 /* inode */,
  NO_LINK = 0x0100, /* AT_SYMLINK_NOFOLLOW */
  NO_MOUNT = 0x0800,
  NO_QUESTION = 0x4000 /* AT_STATX_DONT_SYNC */
};

/* The members of the kernel's struct statx that are used here, and those before them. */
struct answer {
  uint32_t mask, block_size;
  uint64_t attributes;
  uint32_t links, owner, group;
  uint16_t mode, unused;
  uint64_t inode, size, blocks, known_attributes;
  uint64_t times[8];
  uint32_t own_major, own_minor, device_major, device_minor;
  uint64_t more[14];
};
static_assert(sizeof(struct answer) == 256 && offsetof(struct answer, device_major) == 136,
              "the kernel's layout");

int file_status(int folder, const char *name, struct file_status *status) {
  struct answer answer;
  if (syscall(SYS_statx, folder, name, NO_LINK | NO_MOUNT | NO_QUESTION, WANTED, &answer) != 0)
    return -1;
  *status = (struct file_status){answer.mode, answer.owner, answer.inode,
                                 makedev(answer.device_major, answer.device_minor)};
  return 0;
}
