/* Counters and records of this module, which only those include who use them. */
#ifndef DARSHAN_HDF5_RECORDS_H
#define DARSHAN_HDF5_RECORDS_H

#define ONE_MODULE "modules/hdf5/module.def"
#include "declare-records.h"

#endif
