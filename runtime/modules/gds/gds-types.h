/* Parameters of the functions of cuFile and hipFile, according to their manuals, so no header of
 * them is needed. Types that are only forwarded are void. */
#ifndef DARSHAN_GDS_TYPES_H
#define DARSHAN_GDS_TYPES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct gds_error { /* CUfileError_t, hipFileError_t; returned by value */
  int code;        /* 0: success */
  int driver;
};

enum { GDS_DESCRIPTOR = 1 }; /* type of a gds_source: a descriptor of this process */
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
