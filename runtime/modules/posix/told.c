/* Notifies the sites module of events, after they were counted. A call that is made by a call of an
 * upper layer belongs to the site of that one. Calls on streams are no such layer: no C library
 * calls these functions by name, so what comes inside of one is made by the program, in a handler
 * or in a function of fopencookie. */
#include "account.h"

__attribute__((noinline)) void posix_count_site_and_leave(enum site_kind kind, uint64_t t1,
                                                          uint64_t t2) {
  struct site_call call = {.kind = kind, .offset = SITE_NO_PLACE, .t1 = t1, .t2 = t2};
  if (LIKELY(kind != SITE_NOTHING && !layers_inside())) sites_count_inside(&call);
  runtime_leave();
}

__attribute__((noinline)) void posix_tell_site(enum site_kind kind, uint64_t t1, uint64_t t2) {
  if (kind == SITE_NOTHING || layers_inside()) return;
  if (!runtime_enter()) return;
  posix_count_site_and_leave(kind, t1, t2);
}

__attribute__((noinline)) void posix_tell_transfer_and_leave(uint32_t watched,
                                                             const struct site_call *call) {
  int writes = call->kind == SITE_WRITE;
  if (LIKELY((watched & WATCHED_BY_SITES) && !layers_inside())) sites_count_inside(call);
  runtime_leave();
  if (UNLIKELY(watched & WATCHED_BY_LAYERS))
    layers_transfer_slow(call->file, writes, call->bytes[writes], call->offset,
                         call->t2 - call->t1);
}
