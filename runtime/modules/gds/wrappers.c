/* The wrappers of the GDS module, made from calls.def. The real function is that of the library
 * that the caller uses; a process may have several. */
#include <errno.h>
#include <time.h>

#include "../../intercept/wrap.h"
#include "gds.h"

/* Forms of calls. Each lists: type of the result, parameters, arguments, kind of operation, item of
 * the call, and the function that is called after the call with its result r. Functions without a
 * result are called as if they had one, which is not used. */
#define FORM_DRIVER                                                                                \
  struct gds_error, (void), (), LAYER_META, gds_driver(), gds_called(&call, r.code)
#define FORM_BUFFER                                                                                \
  struct gds_error, (const void *memory, size_t length, int flags), (memory, length, flags),       \
      LAYER_META, gds_driver(), gds_buffer_registered(&call, r.code, length)
#define FORM_NO_BUFFER                                                                             \
  struct gds_error, (const void *memory), (memory), LAYER_META, gds_driver(),                      \
      gds_called(&call, r.code)
#define FORM_REGISTER                                                                              \
  struct gds_error, (void **handle, struct gds_source *source), (handle, source), LAYER_OPEN,      \
      NULL, gds_registered(&call, r.code, source, handle)
#define FORM_DEREGISTER                                                                            \
  long, (void *handle), (handle), LAYER_CLOSE, gds_item_of(GDS_A_FILE, handle),                    \
      gds_deregistered(&call, handle)
#define FORM_TRANSFER(operation, writes)                                                           \
  ssize_t, (void *handle, void *memory, size_t size, off_t offset, off_t memory_offset),           \
      (handle, memory, size, offset, memory_offset), operation, gds_item_of(GDS_A_FILE, handle),   \
      gds_transferred(&call, r, writes, offset)
#define FORM_READ FORM_TRANSFER(LAYER_READ, 0)
#define FORM_WRITE FORM_TRANSFER(LAYER_WRITE, 1)
#define FORM_ASYNC(operation, writes)                                                              \
  struct gds_error,                                                                                \
      (void *handle, void *memory, size_t *size, off_t *offset, off_t *memory_offset,              \
       ssize_t *moved, void *stream),                                                              \
      (handle, memory, size, offset, memory_offset, moved, stream), operation,                     \
      gds_item_of(GDS_A_FILE, handle), gds_streamed(&call, r.code, writes, size, offset)
#define FORM_READ_ASYNC FORM_ASYNC(LAYER_READ, 0)
#define FORM_WRITE_ASYNC FORM_ASYNC(LAYER_WRITE, 1)
#define FORM_SUBMIT                                                                                \
  struct gds_error, (void *batch, unsigned n, struct gds_request *requests, unsigned flags),       \
      (batch, n, requests, flags), requests &&n &&requests[0].writes ? LAYER_WRITE : LAYER_READ,   \
      requests &&n ? gds_item_of(GDS_A_FILE, requests[0].handle) : NULL,                           \
      gds_submitted(&call, r.code, batch, n, requests)
#define FORM_STATUS                                                                                \
  struct gds_error,                                                                                \
      (void *batch, unsigned least, unsigned *n, void *events, struct timespec *timeout),          \
      (batch, least, n, events, timeout), LAYER_META, gds_item_of(GDS_A_BATCH, batch),             \
      gds_waited(&call)
#define FORM_DESTROY                                                                               \
  long, (void *batch), (batch), LAYER_META, gds_item_of(GDS_A_BATCH, batch),                       \
      (gds_waited(&call), gds_forget(GDS_A_BATCH, batch))

#define GDS_CALL(name, library, form) WRAPPER_OF(name, library, FORM_##form)
#define WRAPPER_OF(name, library, ...) WRAPPER(name, library, __VA_ARGS__)
#define WRAPPER(name, library, type, params, args, operation, found, event)                        \
  EXPORT type wrap_##name params __asm__(SYMBOL(name));                                            \
  type wrap_##name params {                                                                        \
    struct gds_call call = {.lib = gds_library_of(GDS_##library, __builtin_return_address(0))};    \
    type(*real) params = (type(*) params)gds_function(call.lib, GDSFN_##name, #name);              \
    if (UNLIKELY(!gds_begin(call.lib))) return real args;                                          \
    call.item = found;                                                                             \
    gds_before(&call, operation);                                                                  \
    call.t1 = ticks_now();                                                                         \
    type r = real args;                                                                            \
    call.t2 = ticks_after(call.t1);                                                                \
    int saved_errno = errno;                                                                       \
    event;                                                                                         \
    gds_end();                                                                                     \
    errno = saved_errno;                                                                           \
    return r;                                                                                      \
  }

#include "calls.def"
