/* Counters and records of the PnetCDF modules, for the files that use them. */
#ifndef DARSHAN_PNETCDF_RECORDS_H
#define DARSHAN_PNETCDF_RECORDS_H

#define ONE_MODULE "modules/pnetcdf/module.def"
#include "declare-records.h"

#endif
