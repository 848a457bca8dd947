/* From records in memory, wherever they are, to the bytes of a finished log. */
#ifndef DARSHAN_COMPOSE_H
#define DARSHAN_COMPOSE_H

#include "../door/door.h"

enum { LOG_PARTS = 64 };

struct log_part { /* the records of one module */
  int module;     /* 64 and above: goes into the annex */
  int partial;    /* 1: records were left out */
  int ready;      /* 1: the bytes are zlib streams already */
  uint32_t version;
  const char *records; /* one behind the other, or NULL: */
  const struct segments
      *where; /* they lie there, from item 0 on; log_can_pack says that they may */
  size_t length;
  size_t record_size; /* 0: they are not of one size */
};

struct log_content {
  const char *job; /* record, command line, mount table, NUL */
  size_t job_length;
  const char *names;
  size_t names_length;
  int num_parts;
  struct log_part parts[LOG_PARTS]; /* in the order of module ids */
};

/* Puts a part where its module's id belongs; none if it is empty or there is no
 * place left. */
void log_content_add(struct log_content *content, const struct log_part *part);

struct log_draft {
  char *bytes; /* NULL: there was no memory */
  size_t used, room;
};

/* Compresses everything.  0, or -1; the draft is given back by the caller. */
int log_compose(struct log_draft *draft, const struct log_content *content);
void log_draft_drop(struct log_draft *draft);

#endif
