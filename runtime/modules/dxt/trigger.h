/* Which traces are worth keeping, by what their files' counters say. */
#ifndef DARSHAN_DXT_TRIGGER_H
#define DARSHAN_DXT_TRIGGER_H

#include "dxt-state.h"

/* With DXT_SMALL_IO_TRIGGER and DXT_UNALIGNED_IO_TRIGGER: 1 if the file meets
 * all that are set. */
int dxt_triggered(enum dxt_module module, uint32_t number);

#endif
