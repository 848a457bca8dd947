/* An HDF5 file driver that saves bytes in an undo journal (undo.h) before it overwrites them. */
#ifndef STUDY_UNDO_DRIVER_H
#define STUDY_UNDO_DRIVER_H

#include <hdf5.h>

#include "undo.h"

/* Returns an access property list for H5Fopen with the driver; negative on failure. The caller
 * closes it. The journal must outlive the open file. */
hid_t undo_driver_access(struct undo *undo);

#endif
