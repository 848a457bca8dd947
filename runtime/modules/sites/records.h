/* Counters and records of the SITES module, for the files that use them. */
#ifndef DARSHAN_SITES_RECORDS_H
#define DARSHAN_SITES_RECORDS_H

#define ONE_MODULE "modules/sites/module.def"
#include "declare-records.h"

#endif
