/* Linked into a dynamic program in place of libdarshan.so: it has the same DT_SONAME and no
 * wrappers. If the linker saw the wrappers, it would take H5Dread from there, and not add that of
 * libhdf5.a. */
#include "intercept/loader/linked.h"

void darshan_link(struct linked_table *table) {
  (void)table;
}
