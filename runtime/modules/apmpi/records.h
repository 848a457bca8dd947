/* A rank's record in the journal, with the head that a log has once, so that a journal is a log,
 * too. */
#ifndef DARSHAN_APMPI_RECORDS_H
#define DARSHAN_APMPI_RECORDS_H

#include "apmpi.h"

struct apmpi_kept {
  struct darshan_apmpi_head head;
  struct darshan_apmpi_record record;
};

#endif
