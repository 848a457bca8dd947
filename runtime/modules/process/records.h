/* Counters and records of the PROCESS and USAGE modules, for the files that use them. */
#ifndef DARSHAN_PROCESS_RECORDS_H
#define DARSHAN_PROCESS_RECORDS_H

#define ONE_MODULE "modules/process/module.def"
#include "declare-records.h"

#endif
