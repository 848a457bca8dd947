/* Makes the bytes of a finished log from records in memory (a draft). */
#ifndef DARSHAN_COMPOSE_H
#define DARSHAN_COMPOSE_H

#include "../door/door.h"
#include "../records/store.h"

enum { LOG_PARTS = 64 };

struct log_part { /* the records of one module */
  int module;     /* id; 64 and above are stored in the annex */
  int partial;    /* 1: records are missing */
  int ready;      /* 1: the bytes are already zlib streams */
  uint32_t version;
  const char *records; /* contiguous, or NULL */
  /* If records is NULL: a table whose items, from item 0 on, are the records. Allowed if
   * log_can_pack returns 1. */
  const struct segments *where;
  size_t length;
  size_t record_size; /* 0: the records differ in size */
};

struct log_content {
  const char *job; /* job record, command line, mount table, NUL; in a reduction NULL */
  size_t job_length;
  const char *names;
  size_t names_length;
  int num_parts;
  struct log_part parts[LOG_PARTS]; /* in the order of module ids */
};

/* Inserts a part in the order of module ids. Ignores a part that is empty or for which the table
 * has no slot. */
void log_content_add(struct log_content *content, const struct log_part *part);

struct log_draft {
  char *bytes; /* NULL: out of memory */
  size_t used, room;
};

/* Compresses the content into a draft. Returns 0, or -1 if out of memory. In both cases the draft
 * may hold memory, which log_draft_drop frees. */
int log_compose(struct log_draft *draft, const struct log_content *content);
void log_draft_drop(struct log_draft *draft);

/* Rounds the times of all records in place: timestamps to multiples of 2^-20 s (a microsecond, the
 * precision of the text output) and durations to multiples of 2^-27 s (7 ns, less than a clock
 * reading takes). A positive time stays above 0. Without rounding, the noise in the low bits of the
 * doubles would make up most of the log. */
void log_round_times(struct record_store *store);

#endif
