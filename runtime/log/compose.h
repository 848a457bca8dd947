/* Makes the bytes of a finished log from records in memory. */
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
  /* Used if records is NULL: a table of the records, from item 0 on. log_can_pack allows it. */
  const struct segments *where;
  size_t length;
  size_t record_size; /* 0: the records differ in size */
};

struct log_content {
  const char *job; /* record, command line, mount table, NUL */
  size_t job_length;
  const char *names;
  size_t names_length;
  int num_parts;
  struct log_part parts[LOG_PARTS]; /* in the order of module ids */
};

/* Inserts a part by its module's id. Ignores it if it is empty or the table is full. */
void log_content_add(struct log_content *content, const struct log_part *part);

struct log_draft {
  char *bytes; /* NULL: out of memory */
  size_t used, room;
};

/* Compresses everything. Returns 0, or -1 if out of memory. The caller frees the draft in both
 * cases. */
int log_compose(struct log_draft *draft, const struct log_content *content);
void log_draft_drop(struct log_draft *draft);

/* Rounds timestamps to multiples of 2^-20 s (a microsecond, the precision of the text output) and
 * durations to 2^-27 s (7 ns, less than a clock reading takes). Otherwise the noise in the low bits
 * of the doubles would make up most of the log. */
void log_round_times(struct record_store *store);

#endif
