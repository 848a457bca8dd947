/* Counters and records of this module, for the files that use them. */
#ifndef DARSHAN_PROCESS_RECORDS_H
#define DARSHAN_PROCESS_RECORDS_H

#define ONE_MODULE "modules/process/module.def"
#include "declare-records.h"

#endif
