/* A rank's record in the journal. It contains the head, which a log has only once, so that the
 * journal of a single rank is a valid log. */
#ifndef DARSHAN_APMPI_RECORDS_H
#define DARSHAN_APMPI_RECORDS_H

#include "apmpi.h"

/* The record of this process, with the head of the module's region. */
struct apmpi_kept {
  struct darshan_apmpi_head head;
  struct darshan_apmpi_record record;
};

#endif
