/* Counters and records of this module, which only those include who use them. */
#ifndef DARSHAN_POSIX_RECORDS_H
#define DARSHAN_POSIX_RECORDS_H

#define ONE_MODULE "modules/posix/module.def"
#include "declare-records.h"

#endif
