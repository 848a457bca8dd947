/* An HDF5 file driver that saves what it overwrites in an undo journal. */
#ifndef STUDY_UNDO_DRIVER_H
#define STUDY_UNDO_DRIVER_H

#include <hdf5.h>

#include "undo.h"

/* Returns an access list for H5Fopen with the driver; negative on error. The caller closes it. The
 * journal must outlive the file. */
hid_t undo_driver_access(struct undo *undo);

#endif
