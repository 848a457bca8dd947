/* Defines the two arrays of names of one table. Only counter-names.c includes it, with
 * RECORD_PREFIX, RECORD_TAG and RECORD_ROWS defined. */
#define GLUE_(a, b) a##_##b
#define GLUE(a, b) GLUE_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)
#define NAME(name, rule, unit, since, absent, meaning) TEXT(RECORD_PREFIX) "_" #name,
#define NO_NAME(name, rule, unit, since, absent, meaning)
#define RETIRED_COUNTER(name, first, last)

#define COUNTER NAME
#define FCOUNTER NO_NAME
extern char *GLUE(RECORD_TAG, counter_names)[]; /* also needed for the tables of the annex */
char *GLUE(RECORD_TAG, counter_names)[] = {
#include RECORD_ROWS
    TEXT(RECORD_PREFIX) "_NUM_INDICES", NULL};
#undef COUNTER
#undef FCOUNTER

#define COUNTER NO_NAME
#define FCOUNTER NAME
extern char *GLUE(RECORD_TAG, f_counter_names)[];
char *GLUE(RECORD_TAG, f_counter_names)[] = {
#include RECORD_ROWS
    TEXT(RECORD_PREFIX) "_F_NUM_INDICES", NULL};
#undef COUNTER
#undef FCOUNTER

#undef RETIRED_COUNTER
#undef GLUE_
#undef GLUE
#undef TEXT_
#undef TEXT
#undef NAME
#undef NO_NAME
#undef RECORD_PREFIX
#undef RECORD_TAG
#undef RECORD_ROWS
