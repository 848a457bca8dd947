/* Declares the counter enums of one module from its table. The including file defines RECORD_PREFIX
 * (for example POSIX) and RECORD_ROWS (the .def file). The result is POSIX_OPENS ...
 * POSIX_NUM_COUNTERS, POSIX_F_... and POSIX_NUM_FCOUNTERS. */
#define DARSHAN_GLUE_(a, b) a##_##b
#define DARSHAN_GLUE(a, b) DARSHAN_GLUE_(a, b)

#define COUNTER(name, rule, unit, since, absent, meaning) DARSHAN_GLUE(RECORD_PREFIX, name),
#define FCOUNTER(name, rule, unit, since, absent, meaning)
#define RETIRED_COUNTER(name, first, last)
enum {
#include RECORD_ROWS
  DARSHAN_GLUE(RECORD_PREFIX, NUM_COUNTERS)
};
#undef COUNTER
#undef FCOUNTER

#define COUNTER(name, rule, unit, since, absent, meaning)
#define FCOUNTER(name, rule, unit, since, absent, meaning) DARSHAN_GLUE(RECORD_PREFIX, name),
enum {
#include RECORD_ROWS
  DARSHAN_GLUE(RECORD_PREFIX, NUM_FCOUNTERS)
};
#undef COUNTER
#undef FCOUNTER
#undef RETIRED_COUNTER
#undef RECORD_PREFIX
#undef RECORD_TAG
#undef RECORD_ROWS
