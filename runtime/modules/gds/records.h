/* Counters and records of this module, for the files that use them. */
#ifndef DARSHAN_GDS_RECORDS_H
#define DARSHAN_GDS_RECORDS_H

#define ONE_MODULE "modules/gds/module.def"
#include "declare-records.h"

#endif
