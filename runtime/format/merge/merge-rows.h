/* Defines the merge rules of one table and the units of its fcounters, for merge-rules.c. Both are
 * constant bytes and names without pointers, so a process loads none of their pages until it uses
 * them. */
#define GLUE_(a, b) a##_##b
#define GLUE(a, b) GLUE_(a, b)
#define RETIRED_COUNTER(name, first, last)

#define COUNTER(name, rule, unit, since, absent, meaning) DARSHAN_RULE_##rule,
#define FCOUNTER(name, rule, unit, since, absent, meaning)
static const unsigned char GLUE(RECORD_PREFIX, rules)[] = {
#include RECORD_ROWS
    0};
#undef COUNTER
#undef FCOUNTER

#define COUNTER(name, rule, unit, since, absent, meaning)
#define FCOUNTER(name, rule, unit, since, absent, meaning) DARSHAN_RULE_##rule,
static const unsigned char GLUE(RECORD_PREFIX, frules)[] = {
#include RECORD_ROWS
    0};
#undef COUNTER
#undef FCOUNTER

#define COUNTER(name, rule, unit, since, absent, meaning)
#define FCOUNTER(name, rule, unit, since, absent, meaning) DARSHAN_UNIT_##unit,
static const unsigned char GLUE(RECORD_PREFIX, funits)[] = {
#include RECORD_ROWS
    0};
#undef COUNTER
#undef FCOUNTER

#define COUNTER(name, rule, unit, since, absent, meaning) #name "\0"
#define FCOUNTER(name, rule, unit, since, absent, meaning)
static const char GLUE(RECORD_PREFIX, names)[] =
#include RECORD_ROWS
    "";
#undef COUNTER
#undef FCOUNTER

#define COUNTER(name, rule, unit, since, absent, meaning)
#define FCOUNTER(name, rule, unit, since, absent, meaning) #name "\0"
static const char GLUE(RECORD_PREFIX, fnames)[] =
#include RECORD_ROWS
    "";
#undef COUNTER
#undef FCOUNTER

#undef RETIRED_COUNTER
#undef GLUE_
#undef GLUE
#undef RECORD_PREFIX
#undef RECORD_TAG
#undef RECORD_ROWS
