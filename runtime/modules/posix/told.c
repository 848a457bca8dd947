/* Notifies the sites module of events, after they were counted. */
#include "account.h"

/* Returns 1 if the call is made by a call of an upper layer or of STDIO, which is counted for a
 * site itself; else 0. */
static inline int is_nested(void) {
  const char *frame = __builtin_frame_address(0);
  return layers_inside() || (darshan_inside.stdio && frame < darshan_inside.stdio);
}

__attribute__((noinline)) void posix_tell_site(enum site_kind kind, uint64_t t1, uint64_t t2) {
  if (kind == SITE_NOTHING || is_nested()) return;
  sites_count(&(struct site_call){.kind = kind, .offset = SITE_NO_PLACE, .t1 = t1, .t2 = t2});
}

__attribute__((noinline)) void posix_tell_site_of_transfer(uint32_t file, int writes, int64_t bytes,
                                                           int64_t offset, uint64_t t1,
                                                           uint64_t t2) {
  if (is_nested()) return;
  sites_count(&(struct site_call){.kind = writes ? SITE_WRITE : SITE_READ,
                                  .file = file,
                                  .bytes = {writes ? 0 : bytes, writes ? bytes : 0},
                                  .offset = offset,
                                  .t1 = t1,
                                  .t2 = t2});
}
