/* The wrappers of the DAOS modules, made from calls.def. The real function is that of the library
 * that the caller uses; a process may have several. */
#include <errno.h>

#include "../../intercept/wrap.h"
#include "daos.h"
#include "modules/daos/records.h"

#define WRAPPER(family, name, params, args, counts, find, event, end)                              \
  EXPORT int wrap_##name params __asm__(SYMBOL(name));                                             \
  int wrap_##name params {                                                                         \
    struct daos_call call = {.lib = daos_library_of(family, __builtin_return_address(0))};         \
    int(*real) params = (int(*) params)daos_function(call.lib, DAOSFN_##name, #name);              \
    if (UNLIKELY(!(counts))) return real args;                                                     \
    find;                                                                                          \
    call.t1 = ticks_now();                                                                         \
    call.result = real args;                                                                       \
    call.t2 = ticks_after(call.t1);                                                                \
    int saved_errno = errno;                                                                       \
    event;                                                                                         \
    end;                                                                                           \
    errno = saved_errno;                                                                           \
    return call.result;                                                                            \
  }
#define COUNTED(family, name, params, args, find, event)                                           \
  WRAPPER(family, name, params, args, daos_begin(call.lib, family), find, event, daos_end(family))
#define DFS_CALL(name, params, args, find, event)                                                  \
  COUNTED(DAOS_LIBDFS, name, params, args, find, event)
#define DAOS_CALL(name, params, args, find, event)                                                 \
  COUNTED(DAOS_LIBDAOS, name, params, args, find, event)
/* Does not call daos_begin, because these functions run callbacks of the application, which may
 * call other functions of DAOS. */
#define EVENT_CALL(name, params, args, event)                                                      \
  WRAPPER(DAOS_LIBDAOS, name, params, args, daos_counts(call.lib), NOTHING, event, NOTHING)

/* Macros for the column "find" of a row. */
#define FILE_OF(obj) struct daos_item *file = daos_file_of(obj)
#define OBJECT_OF(oh) struct daos_item *object = daos_object_of(DAOS_AN_OBJECT, oh)
#define ARRAY_OF(oh) struct daos_item *object = daos_object_of(DAOS_AN_ARRAY, oh)
#define KV_OF(oh) struct daos_item *object = daos_object_of(DAOS_A_KV, oh)
#define OPENING(oh)                                                                                \
  daos_handle before = (oh) ? *(oh) : (daos_handle) {                                              \
    0                                                                                              \
  }
#define TOLD(info, ev) info = daos_room_for_info(&call, info, ev)
#define REMOVED(oid)                                                                               \
  daos_oid removed = {.lo = 0};                                                                    \
  if (!(oid)) oid = &removed

/* Macros for the column "event" of a row. */
#define AT(size) ((size) ? (int64_t) * (size) : 0)
#define OPENED(kind, counter, cell_size, chunk_size)                                               \
  OPENED_AS(kind, counter, cell_size, chunk_size, 0)
#define OPENED_TOLD(kind, counter, cell_size, chunk_size)                                          \
  OPENED_AS(kind, counter, cell_size, chunk_size, 1)
#define OPENED_AS(kind, counter, cell_size, chunk_size, told)                                      \
  daos_opened(&call, &(struct daos_opening){kind, counter, coh, oid, before, oh, cell_size,        \
                                            chunk_size, told, ev})

#include "calls.def"
