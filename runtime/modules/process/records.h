/* Counters and records of this module, which only those include who use them. */
#ifndef DARSHAN_PROCESS_RECORDS_H
#define DARSHAN_PROCESS_RECORDS_H

#define ONE_MODULE "modules/process/module.def"
#include "declare-records.h"

#endif
