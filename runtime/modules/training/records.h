/* Counters and records of the TRAINING module, for the files that use them. */
#ifndef DARSHAN_TRAINING_RECORDS_H
#define DARSHAN_TRAINING_RECORDS_H

#define ONE_MODULE "modules/training/module.def"
#include "declare-records.h"

#endif
