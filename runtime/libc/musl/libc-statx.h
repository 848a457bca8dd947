/* Declares statx as the kernel defines it; musl's headers have it since 1.2.5. */
#ifndef DARSHAN_LIBC_STATX_H
#define DARSHAN_LIBC_STATX_H

#include <stdint.h>
#include <sys/stat.h>

#ifndef STATX_TYPE
enum {
  STATX_TYPE = 0x1,
  STATX_MODE = 0x2,
  STATX_NLINK = 0x4,
  STATX_UID = 0x8,
  STATX_GID = 0x10,
  STATX_ATIME = 0x20,
  STATX_MTIME = 0x40,
  STATX_CTIME = 0x80,
  STATX_INO = 0x100,
  STATX_SIZE = 0x200,
  STATX_BLOCKS = 0x400,
  STATX_BASIC_STATS = 0x7ff
};

struct statx_timestamp {
  int64_t tv_sec;
  uint32_t tv_nsec;
  int32_t unused;
};

struct statx {
  uint32_t stx_mask, stx_blksize;
  uint64_t stx_attributes;
  uint32_t stx_nlink, stx_uid, stx_gid;
  uint16_t stx_mode, unused;
  uint64_t stx_ino, stx_size, stx_blocks, stx_attributes_mask;
  struct statx_timestamp stx_atime, stx_btime, stx_ctime, stx_mtime;
  uint32_t stx_rdev_major, stx_rdev_minor, stx_dev_major, stx_dev_minor;
  uint64_t more[14];
};

int statx(int folder, const char *path, int flags, unsigned mask, struct statx *answer);
#endif

#endif
