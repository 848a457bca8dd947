/* Counters and records of the LAYERS module, for the files that use them. */
#ifndef DARSHAN_LAYERS_RECORDS_H
#define DARSHAN_LAYERS_RECORDS_H

#define ONE_MODULE "modules/layers/module.def"
#include "declare-records.h"

#endif
