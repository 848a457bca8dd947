/* Parameter types of the functions of cuFile and hipFile, taken from their manuals, so that none of
 * their headers is needed. Types that wrappers only forward are void. */
#ifndef DARSHAN_GDS_TYPES_H
#define DARSHAN_GDS_TYPES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct gds_error { /* CUfileError_t, hipFileError_t; returned by value */
  int code;        /* 0: success */
  int driver;
};

enum { GDS_DESCRIPTOR = 1 }; /* value of gds_source.type: a file descriptor of this process */
struct gds_source {          /* CUfileDescr_t, hipFileDescr_t */
  int type;
  union {
    int fd;
    void *other;
  } handle;
  const void *operations;
};

struct gds_request { /* CUfileIOParams_t, hipFileIOParams_t */
  int mode;
  void *memory;
  off_t file_offset, memory_offset;
  size_t size;
  void *handle;
  int writes; /* 0: a read */
  void *cookie;
};

#endif
