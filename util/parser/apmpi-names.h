/* Names of the values of an APMPI record. */
#ifndef DARSHAN_PARSER_APMPI_NAMES_H
#define DARSHAN_PARSER_APMPI_NAMES_H

/* In the order of the record (apmpi.h). The name of their number and NULL end each array. They are
 * part of the interface of libdarshan-util. */
extern char *apmpi_counter_names[];
extern char *apmpi_f_mpiop_totaltime_counter_names[];
extern char *apmpi_f_mpiop_synctime_counter_names[];

#endif
