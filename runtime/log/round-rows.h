/* Of one table: what kind of time each fcounter is.  For round.c. */
#define GLUE_(a, b) a##_##b
#define GLUE(a, b) GLUE_(a, b)
#define COUNTER(name, rule, unit, since, absent, meaning)
#define RETIRED_COUNTER(name, first, last)
#define FCOUNTER(name, rule, unit, since, absent, meaning) TIME_##unit,
static const unsigned char GLUE(RECORD_PREFIX, times)[] = {
#include RECORD_ROWS
    TIME_NONE};
#undef COUNTER
#undef FCOUNTER
#undef RETIRED_COUNTER
#undef GLUE_
#undef GLUE
#undef RECORD_PREFIX
#undef RECORD_TAG
#undef RECORD_ROWS
