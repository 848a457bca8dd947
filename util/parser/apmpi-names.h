/* What the values of an APMPI record are called. */
#ifndef DARSHAN_PARSER_APMPI_NAMES_H
#define DARSHAN_PARSER_APMPI_NAMES_H

/* In the order of the record (apmpi.h). */
extern const char *const apmpi_counter_names[];
extern const char *const apmpi_time_names[];
extern const char *const apmpi_sync_names[];

#endif
