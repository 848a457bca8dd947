/* The wrappers of the PnetCDF modules, made from calls.def and transfers.def. */
#include "pnetcdf.h"

#include <errno.h>

#include "../../intercept/wrap.h"
#include "modules/pnetcdf/records.h"

#undef CALL
#define CALL(name, params, args, operation, find, event)                                           \
  EXPORT int wrap_##name params __asm__(SYMBOL(name));                                             \
  int wrap_##name params {                                                                         \
    struct pn_call call = {.lib = pn_library_of(__builtin_return_address(0))};                     \
    struct layer_state *below = NULL;                                                              \
    int(*real) params = (int(*) params)pn_function(call.lib, PNFN_##name, #name);                  \
    if (UNLIKELY(!pn_begin(call.lib))) return real args;                                           \
    find;                                                                                          \
    call.frame = layer_push(operation, below);                                                     \
    call.t1 = ticks_now();                                                                         \
    call.result = real args;                                                                       \
    call.t2 = ticks_after(call.t1);                                                                \
    int saved_errno = errno;                                                                       \
    event;                                                                                         \
    pn_end();                                                                                      \
    errno = saved_errno;                                                                           \
    return call.result;                                                                            \
  }

/* Macros that rows use in their column "find". */
#define KNOWN(id)                                                                                  \
  struct pn_known known = pn_known(call.lib, id);                                                  \
  below = known.file ? &known.file->layer : NULL
#define CLOSING(id)                                                                                \
  KNOWN(id);                                                                                       \
  struct pn_moved moved = pn_before_close(call.lib, &known)

#include "calls.def"

/* Stubs for 810 functions. Each stores its arguments in an array and passes its number. */
#define PARAMETERS_3 uintptr_t a0, uintptr_t a1, uintptr_t a2
#define PARAMETERS_4 PARAMETERS_3, uintptr_t a3
#define PARAMETERS_5 PARAMETERS_4, uintptr_t a4
#define PARAMETERS_6 PARAMETERS_5, uintptr_t a5
#define PARAMETERS_7 PARAMETERS_6, uintptr_t a6
#define PARAMETERS_8 PARAMETERS_7, uintptr_t a7
#define PARAMETERS_9 PARAMETERS_8, uintptr_t a8
#define PARAMETERS_10 PARAMETERS_9, uintptr_t a9
#define ARGUMENTS_3 a0, a1, a2, 0, 0, 0
#define ARGUMENTS_4 a0, a1, a2, a3, 0, 0
#define ARGUMENTS_5 a0, a1, a2, a3, a4, 0
#define ARGUMENTS_6 a0, a1, a2, a3, a4, a5
#define ARGUMENTS_7 ARGUMENTS_6, a6, 0, 0, 0
#define ARGUMENTS_8 ARGUMENTS_6, a6, a7, 0, 0
#define ARGUMENTS_9 ARGUMENTS_6, a6, a7, a8, 0
#define ARGUMENTS_10 ARGUMENTS_6, a6, a7, a8, a9

#define TRANSFER(api, form, type, mode, n)                                                         \
  STUB(wrap_##api##_##form##type##mode, ncmpi_##api##_##form##type##mode,                          \
       PNFN_##api##_##form##type##mode,                                                            \
       PN_API_##api | PN_FORM_##form * PN_FORM | PN_MODE_##mode |                                  \
           ((n) > 6 ? PN_MORE_THAN_SIX : 0),                                                       \
       (PARAMETERS_##n), {ARGUMENTS_##n})
#define STUB(wrapper, name, number, traits, parameters, ...)                                       \
  EXPORT int wrapper parameters __asm__(SYMBOL(name));                                             \
  int wrapper parameters {                                                                         \
    const uintptr_t arguments[] = __VA_ARGS__;                                                     \
    return pn_transfer(number, traits, #name, arguments, __builtin_return_address(0));             \
  }

#include "transfers.def"
