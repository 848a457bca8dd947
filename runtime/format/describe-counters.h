/* Defines the counter descriptions of one module from its table, for describe.c. The including file
 * defines RECORD_PREFIX, RECORD_TAG and RECORD_ROWS. */
#define GLUE_(a, b) a##_##b
#define GLUE(a, b) GLUE_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)
#define ROW(name, rule, unit, since, absent, meaning)                                              \
  {TEXT(RECORD_PREFIX) "_" #name,                                                                  \
   DARSHAN_RULE_##rule,                                                                            \
   DARSHAN_UNIT_##unit,                                                                            \
   GLUE(RECORD_PREFIX, name),                                                                      \
   since,                                                                                          \
   0,                                                                                              \
   absent},
#define NO_ROW(name, rule, unit, since, absent, meaning)
#define MEANING(name, rule, unit, since, absent, meaning) meaning "\0"

/* Fails to compile if a counter is newer than its module: the module's version must then be
 * raised. */
#define NOT_NEWER(name, rule, unit, since, absent, meaning)                                        \
  static_assert((since) <= GLUE(DARSHAN_VERSION, RECORD_PREFIX), "the version of " #name);         \
  static_assert(sizeof(TEXT(RECORD_PREFIX) "_" #name) <= DARSHAN_COUNTER_NAME,                     \
                "the length of " #name);
#define COUNTER NOT_NEWER
#define FCOUNTER NOT_NEWER
#define RETIRED_COUNTER(name, first, last)
#include RECORD_ROWS
#undef COUNTER
#undef FCOUNTER
#undef RETIRED_COUNTER
#undef NOT_NEWER

#define COUNTER ROW
#define FCOUNTER NO_ROW
#define RETIRED_COUNTER(name, first, last)                                                         \
  {TEXT(RECORD_PREFIX) "_" #name, DARSHAN_RULE_SUM, DARSHAN_UNIT_COUNT, -1, first, last, 0},
static const struct darshan_counter GLUE(RECORD_TAG, counters)[] = {
#include RECORD_ROWS
    {"", 0, 0, 0, 0, 0, 0}};
#undef COUNTER
#undef FCOUNTER
#undef RETIRED_COUNTER

#define COUNTER MEANING
#define FCOUNTER NO_ROW
#define RETIRED_COUNTER(name, first, last) "\0"
static const char GLUE(RECORD_TAG, meanings)[] = "" /* empty for a module without such counters */
#include RECORD_ROWS
    ;
#undef COUNTER
#undef FCOUNTER
#undef RETIRED_COUNTER

#define COUNTER NO_ROW
#define FCOUNTER MEANING
#define RETIRED_COUNTER(name, first, last)
static const char GLUE(RECORD_TAG, fmeanings)[] = ""
#include RECORD_ROWS
    ;
#undef COUNTER
#undef FCOUNTER
#undef RETIRED_COUNTER

#define COUNTER NO_ROW
#define FCOUNTER ROW
#define RETIRED_COUNTER(name, first, last)
static const struct darshan_counter GLUE(RECORD_TAG, fcounters)[] = {
#include RECORD_ROWS
    {"", 0, 0, 0, 0, 0, 0}};
#undef COUNTER
#undef FCOUNTER
#undef RETIRED_COUNTER

#undef GLUE_
#undef GLUE
#undef TEXT_
#undef TEXT
#undef ROW
#undef NO_ROW
#undef MEANING
#undef RECORD_PREFIX
#undef RECORD_TAG
#undef RECORD_ROWS
