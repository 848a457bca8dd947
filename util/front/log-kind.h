/* What a log is of, as it says itself. */
#ifndef DARSHAN_FRONT_LOG_KIND_H
#define DARSHAN_FRONT_LOG_KIND_H

/* 1: of the ranks of an MPI job; 0 also where it cannot be read. */
int log_is_of_job(const char *path);

#endif
