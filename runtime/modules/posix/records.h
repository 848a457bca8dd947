/* Counters and records of the POSIX modules, for the files that use them. */
#ifndef DARSHAN_POSIX_RECORDS_H
#define DARSHAN_POSIX_RECORDS_H

#define ONE_MODULE "modules/posix/module.def"
#include "declare-records.h"

#endif
