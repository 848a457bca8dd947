/* From records in memory to a log file. */
#ifndef DARSHAN_WRITE_H
#define DARSHAN_WRITE_H

#include "compose.h"
#include "log-format.h"
#include "logname.h"

/* The metadata that is known from the start. */
void log_metadata_start(struct darshan_job *job);

/* The time of the end, and the metadata that only the end knows. */
void log_end_now(struct darshan_job *job);

/* Writes the log of this process: compressed, to a temporary name, renamed when
 * it is complete.  0, or -1 with a message noted: the journal is then the only
 * copy. */
int log_write(void);

/* Parts of it, for the log of many ranks: where the records of this process are
 * (job may be NULL; -1: no memory); the job region, and its length; the message. */
int log_content_here(struct log_content *content, const char *job, size_t job_length);
size_t log_job_bytes(char out[DARSHAN_JOB_REGION_MAX]);
void log_note_failure(void);
/* The log was written, maybe under another name than DARSHAN_LOGFILE. */
void log_note_name(const struct darshan_log_identity *identity);

/* What the records do not have, here and in the line that says so. */
enum log_gap { LOG_LACKS_FILES = 1, LOG_LACKS_CALLS = 2, LOG_LACKS_PARTS = 4 };
unsigned log_gaps(void);
void log_note_gaps(unsigned gaps);

/* What was kept until there was a log is taken away. */
void log_is_written(void);

/* Prints what went wrong, in one line, if stderr still is what it was; 1 if so. */
int log_say_problems(void);

#endif
