/* The kind of a log, from its job record. */
#ifndef DARSHAN_FRONT_LOG_KIND_H
#define DARSHAN_FRONT_LOG_KIND_H

/* Returns 1 for the log of an MPI job, 0 for others and for an unreadable log. */
int log_is_of_job(const char *path);

#endif
