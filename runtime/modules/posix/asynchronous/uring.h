/* The binary interface of io_uring: entries of both queues, operations, flags, and the start of
 * liburing's struct. They are declared here because the installed headers may be older than the
 * kernel. */
#ifndef DARSHAN_URING_H
#define DARSHAN_URING_H

#include <stdint.h>

enum uring_operation {
  URING_READV = 1,
  URING_WRITEV = 2,
  URING_FSYNC = 3,
  URING_READ_FIXED = 4,
  URING_WRITE_FIXED = 5,
  URING_POLL_ADD = 6,
  URING_SYNC_FILE_RANGE = 8,
  URING_RECVMSG = 10,
  URING_TIMEOUT = 11,
  URING_ACCEPT = 13,
  URING_FALLOCATE = 17,
  URING_OPENAT = 18,
  URING_CLOSE = 19,
  URING_FILES_UPDATE = 20,
  URING_STATX = 21,
  URING_READ = 22,
  URING_WRITE = 23,
  URING_RECV = 27,
  URING_OPENAT2 = 28,
  URING_SPLICE = 30,
  URING_RENAMEAT = 35,
  URING_UNLINKAT = 36,
  URING_MKDIRAT = 37,
  URING_SYMLINKAT = 38,
  URING_LINKAT = 39,
  URING_SEND_ZC = 47,
  URING_SENDMSG_ZC = 48,
  URING_READ_MULTISHOT = 49,
  URING_FIXED_FD_INSTALL = 54,
  URING_FTRUNCATE = 55,
  URING_RECV_ZC = 58,
  URING_READV_FIXED = 60,
  URING_WRITEV_FIXED = 61
};

struct uring_entry { /* an entry of the submission queue */
  uint8_t operation, flags;
  uint16_t priority;
  int32_t fd;
  uint64_t offset;  /* or a second address */
  uint64_t address; /* or the source offset of a splice */
  uint32_t length;
  uint32_t operation_flags;
  uint64_t user_data;
  uint16_t buffer, personality;
  uint32_t slot; /* a registered file, counted from 1; or the source of a splice */
  uint64_t more[2];
};
_Static_assert(sizeof(struct uring_entry) == 64, "as in the kernel");

enum { ENTRY_FIXED_FILE = 1, ENTRY_NO_RESULT = 1 << 6 }; /* values of `flags` */
enum { SLOT_ANY = UINT32_MAX }; /* value of `slot`: the kernel chooses a slot and returns it */

struct uring_result { /* an entry of the completion queue */
  uint64_t user_data;
  int32_t result;
  uint32_t flags;
};
enum {
  RESULT_MORE = 1 << 1,
  RESULT_NOTICE = 1 << 3
}; /* values of `flags`: more results follow; a buffer is free again */

enum {
  RING_POLLED = 1 << 1, /* a kernel thread takes submitted entries */
  RING_LARGE_ENTRIES = 1 << 10,
  RING_LARGE_RESULTS = 1 << 11,
  RING_NO_MAPPING = 1 << 14,
  RING_NO_ARRAY = 1 << 16,
  RING_MIXED = 1 << 18 | 1 << 19 /* entries or results of two sizes */
};
enum { RING_ONE_MAPPING = 1 }; /* the feature that both queues are in one mapping */
enum { ENTER_REGISTERED = 1 << 4 };

struct uring_setup { /* struct io_uring_params */
  uint32_t entries, results, flags, cpu, idle, features, queue, reserved[3];
  struct {
    uint32_t head, tail, mask, entries, flags, dropped, array, reserved;
    uint64_t address;
  } submission;
  struct {
    uint32_t head, tail, mask, entries, overflow, results, flags, reserved;
    uint64_t address;
  } completion;
};
_Static_assert(sizeof(struct uring_setup) == 120, "as in the kernel");

struct uring { /* struct io_uring of liburing 2: the members that all versions share */
  struct {
    char *head, *tail, *mask, *entries, *flags, *dropped, *array, *queue;
    uint32_t first, end; /* indexes of the first and behind the last prepared entry; the ring's tail
                            is not updated yet */
    uint64_t size;
    char *memory;
    uint32_t reserved[4];
  } submission;
  struct {
    char *head, *tail, *mask, *entries, *flags, *overflow, *results;
    uint64_t size;
    char *memory;
    uint32_t reserved[4];
  } completion;
  uint32_t flags;
  int32_t fd;
  uint32_t features;
};

enum { /* operations of io_uring_register */
       REGISTER_FILES = 2,
       UNREGISTER_FILES = 3,
       REGISTER_FILES_UPDATE = 6,
       REGISTER_FILES2 = 13,
       REGISTER_FILES_UPDATE2 = 14,
       REGISTER_RINGS = 20,
       UNREGISTER_RINGS = 21
};
enum { FILE_SKIP = -2 }; /* in a list of files: do not change this slot */

struct uring_update { /* of registered files, both forms */
  uint32_t offset, reserved;
  uint64_t data, tags;
  uint32_t count, reserved2;
};
struct uring_number { /* for REGISTER_RINGS */
  uint32_t index, reserved;
  uint64_t fd;
};
struct uring_files { /* for REGISTER_FILES2 */
  uint32_t count, flags;
  uint64_t reserved, data, tags;
};

#endif
