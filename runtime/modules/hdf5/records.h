/* Counters and records of the HDF5 modules, for the files that use them. */
#ifndef DARSHAN_HDF5_RECORDS_H
#define DARSHAN_HDF5_RECORDS_H

#define ONE_MODULE "modules/hdf5/module.def"
#include "declare-records.h"

#endif
