/* State of the LUSTRE module: its records, which differ in size. */
#ifndef DARSHAN_LUSTRE_STATE_H
#define DARSHAN_LUSTRE_STATE_H

#include <stddef.h>
#include <stdint.h>

struct lustre_slot {
  size_t offset; /* of the record in the memory for all records */
  size_t length, room;
  int settled; /* 1: the layout is complete and is not read again */
};

struct lustre_state {
  int lock;
  uint32_t count, limit;     /* records */
  uint32_t refused;          /* files beyond the limit */
  struct lustre_slot *slots; /* [1..limit]; NULL before the first file on Lustre */
  char *bytes;
  size_t used, size;
};

extern struct lustre_state lustre_state __attribute__((visibility("hidden")));

#endif
