/* Counters and records of the STDIO modules, for the files that use them. */
#ifndef DARSHAN_STDIO_RECORDS_H
#define DARSHAN_STDIO_RECORDS_H

#define ONE_MODULE "modules/stdio/module.def"
#include "declare-records.h"

#endif
