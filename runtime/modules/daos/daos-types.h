/* Parameter types of the functions of DAOS 2, taken from its manual, so that no header of DAOS is
 * needed. Types that wrappers only forward are void. */
#ifndef DARSHAN_DAOS_TYPES_H
#define DARSHAN_DAOS_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct {
  uint64_t cookie;
} daos_handle;
typedef struct {
  uint64_t lo, hi;
} daos_oid;
enum { DAOS_OID_TYPE_SHIFT = 56 }; /* position of the object's type in oid.hi */

typedef struct {
  void *buffer;
  size_t room, length;
} daos_iov;
typedef struct {
  uint32_t n, n_out;
  daos_iov *iovs;
} daos_sgl;

struct daos_recx { /* consecutive records of an array */
  uint64_t index, n;
};
enum { DAOS_IOD_SINGLE = 1 }; /* any other type: an array */
struct daos_iod {
  daos_iov name;
  int type;
  uint64_t size; /* bytes of the value or of one record; 0: unknown before the call */
  uint64_t flags;
  uint32_t n;
  struct daos_recx *recxs;
};

struct daos_range {
  uint64_t index, n; /* first cell and number of cells */
};
struct daos_array_iod {
  uint64_t n;
  struct daos_range *ranges;
};

struct daos_event { /* first member of DAOS's event */
  int error;
};
struct daos_uuid { /* first member of DAOS's struct about a pool or container */
  unsigned char bytes[16];
};

#endif
