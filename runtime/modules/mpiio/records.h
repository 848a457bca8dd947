/* Counters and records of this module, which only those include who use them. */
#ifndef DARSHAN_MPIIO_RECORDS_H
#define DARSHAN_MPIIO_RECORDS_H

#define ONE_MODULE "modules/mpiio/module.def"
#include "declare-records.h"

#endif
