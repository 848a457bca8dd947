/* Counters and records of the MPI-IO modules, for the files that use them. */
#ifndef DARSHAN_MPIIO_RECORDS_H
#define DARSHAN_MPIIO_RECORDS_H

#define ONE_MODULE "modules/mpiio/module.def"
#include "declare-records.h"

#endif
