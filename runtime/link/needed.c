/* What a dynamic program is linked with in place of libdarshan.so: it has the
 * same name for the loader, and none of the wrappers.  With them in sight, the
 * linker would take H5Dread from there, and leave the one of libhdf5.a out. */
#include "intercept/linked.h"

void darshan_link(struct linked_table *table) {
  (void)table;
}
