/* What a log is of, as it says itself. */
#ifndef DARSHAN_FRONT_LOG_KIND_H
#define DARSHAN_FRONT_LOG_KIND_H

struct log_kind {
  int has_records;
  int of_job; /* of MPI ranks */
};

/* One that cannot be read may have records. */
struct log_kind log_kind_of(const char *path);

#endif
