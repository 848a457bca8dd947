/* One log from all ranks: the steps that each rank takes.  Up the tree what is
 * known is added up, down the tree everybody hears it; no rank ever holds more
 * than its own records and a bounded amount of those of others.
 *
 * A rank calls reduce_step for each step in turn.  Steps are separate so that a
 * single process can play many ranks: on the way up children come before their
 * parent, on the way down after it. */
#ifndef DARSHAN_RANKS_REDUCE_H
#define DARSHAN_RANKS_REDUCE_H

#include "../../job/config.h"
#include "../../mpi/comm.h"
#include "../compose.h"
#include "../logname.h"
#include "facts.h"
#include "streams.h"
#include "tree.h"

enum reduce_step {
  REDUCE_FACTS_UP,    /* who has which ids, times, nodes */
  REDUCE_FACTS_DOWN,  /* everybody knows */
  REDUCE_RECORDS_UP,  /* records become one, streams are collected */
  REDUCE_PLACES_DOWN, /* where in the file; those that kept streams write them */
  REDUCE_WRITTEN_UP,  /* did it work */
  REDUCE_RESULT_DOWN, /* it did, for all, or not */
  REDUCE_STEPS
};

struct reduce_limits {
  size_t streams;    /* bytes that travel in a message; with more, a rank writes itself */
  size_t candidates; /* bytes of records that may yet be merged, in memory */
};
extern const struct reduce_limits reduce_default_limits;

/* What one rank brings; functions may use context.  Stays as it is until the
 * last step. */
struct reduce_source {
  void *context;
  int64_t rank;   /* in the log; the communicator may number otherwise */
  int64_t nprocs; /* of the job: records of less ranks are partly shared */
  int keep_ranks; /* 1: no record is combined */
  struct reduce_limits limits;
  const char *host;
  const char *names; /* region of names */
  size_t names_length;
  uint64_t bytes;       /* of all records; only whether there are any matters */
  const unsigned *gaps; /* enum log_gap; content may add to it; NULL: none */
  struct facts_times times;
  /* The records, now that all ranks have agreed on times.  0 or -1. */
  int (*content)(void *context, const struct facts *agreed, struct log_content *content);
  /* Root only: the job region, at most DARSHAN_JOB_REGION_MAX bytes; its length. */
  size_t (*job)(void *context, const struct facts *agreed, char *out);
  /* Root only: where the log goes. */
  const struct darshan_config *config;
  struct darshan_log_identity identity;
  uint64_t begun_ns;
  char *final_path; /* receives the path, DARSHAN_PATH_ROOM bytes */
};

struct message {
  char *bytes;
  size_t n;
};

struct reduction {
  struct rank_comm *comm;
  const struct reduce_source *source;
  int failed;             /* this rank, or one below it, or, at the end, the whole */
  int finished;           /* the result is known: nothing more is to be done */
  int kept;               /* streams of this rank or below stay where they are */
  int writes;             /* places have come: this rank has something to write */
  uint32_t kept_children; /* bit n: the n-th child keeps streams */
  struct facts facts;
  struct message agreed; /* what facts points into, below the root */
  struct arena arena;    /* of everything below, until the end */
  int num_parts;         /* own, what left on the way, then one per child */
  struct stretches *parts;
  struct message *child;   /* messages of children, while their streams are in them */
  struct stretches total;  /* one line per section, of all parts */
  uint64_t *places;        /* in the file, of each line of total */
  struct place_file *file; /* root only, while it is open */
};

static inline int reduce_children(const struct reduction *reduction) {
  return tree_children(reduction->comm->rank, reduction->comm->size);
}
static inline int reduce_child(const struct reduction *reduction, int n) {
  return tree_child(reduction->comm->rank, reduction->comm->size, n);
}
static inline int reduce_is_root(const struct reduction *reduction) {
  return reduction->comm->rank == 0;
}
/* The part that the n-th child sent. */
static inline int reduce_part_of_child(const struct reduction *reduction, int n) {
  return reduction->num_parts - reduce_children(reduction) + n;
}

void reduce_begin(struct reduction *reduction, struct rank_comm *comm,
                  const struct reduce_source *source);
void reduce_step(struct reduction *reduction, enum reduce_step step);
/* Gives memory back.  0: the log is complete; -1: there is none. */
int reduce_end(struct reduction *reduction);

/* All steps, for a rank that has a process of its own. */
int reduce_all(struct rank_comm *comm, const struct reduce_source *source);

/* --- gather.c: records up -------------------------------------------------- */
void gather_records(struct reduction *reduction);

/* --- place.c: the file ------------------------------------------------------ */
void place_down(struct reduction *reduction);
void place_written(struct reduction *reduction);
/* Root, after everything is written: header and name; or, if something failed,
 * no file at all.  0 or -1. */
int place_complete(struct reduction *reduction);

/* --- reduce.c: messages ------------------------------------------------------ */
int reduce_receive(struct reduction *reduction, int from, struct message *message);
int reduce_send(struct reduction *reduction, int to, const void *bytes, size_t n);
void message_drop(struct message *message);

#endif
