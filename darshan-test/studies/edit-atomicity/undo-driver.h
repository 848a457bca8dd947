/* An HDF5 file driver that saves what it overwrites in an undo journal. */
#ifndef STUDY_UNDO_DRIVER_H
#define STUDY_UNDO_DRIVER_H

#include <hdf5.h>

#include "undo.h"

/* An access list for H5Fopen with the driver; the journal must outlive the file.
 * Negative on error; the caller closes it. */
hid_t undo_driver_access(struct undo *undo);

#endif
