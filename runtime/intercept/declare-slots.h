/* Defines the slots of a module's real functions. Define CALLS (the .def file) and include this
 * file in the source file that expands the wrappers. */
#include "real.h"

#define HIDDEN __attribute__((visibility("hidden")))

#define CALL(name, type, params, args, find, event) HIDDEN type(*real_##name) params;
#define NOTE(name, type, params, args, before, after) HIDDEN type(*real_##name) params;
#define VOID_CALL(name, params, args, find, event) HIDDEN void(*real_##name) params;
#define FORMAT_CALL(name, vname, params, args, last, find, event)
#define VOID_FORMAT_CALL(name, vname, params, args, last, find, event)
#define HAND_CALL(name)
#include CALLS
#undef CALL
#undef NOTE
#undef VOID_CALL

#undef FORMAT_CALL
#undef VOID_FORMAT_CALL
#undef HAND_CALL
#undef HIDDEN
#undef CALLS
