/* Computes the properties of an access to a variable: its size, lengths and strides. */
#include "../../mpi/mpi.h"
#include "pnetcdf.h"

/* Stores the lengths of the last five dimensions of an access, and their strides unless the form is
 * vara, in access, in the order of declaration. Returns the number of elements of the access; 1 if
 * place->count is NULL. */
static int64_t note_box(const struct pn_member *shape, const struct pn_place *place,
                        int64_t access[ACCESS_FIELDS]) {
  int first = shape->dimensions > ACCESS_FRAME ? shape->dimensions - ACCESS_FRAME : 0;
  int strided = place->form != PN_FORM_vara;
  int64_t elements = 1;
  for (int i = 0; i < shape->dimensions && place->count; i++) {
    elements *= place->count[i];
    if (i < first) continue;
    access[1 + i - first] = place->count[i];
    if (strided) access[1 + ACCESS_FRAME + i - first] = place->stride ? place->stride[i] : 1;
  }
  return elements;
}

/* Returns the bytes of the file that an MPI datatype (the filetype of vard) selects; 0 for the null
 * type, or if MPI cannot be queried. */
static int64_t type_bytes(mpi_handle type) {
  if (!mpi_can_ask() || mpi_same(type, mpi_constant(DATATYPE_NULL))) return 0;
  int64_t bytes = mpi_type_bytes(type);
  return bytes > 0 ? bytes : 0;
}

/* Returns the number of elements of all boxes. A box without lengths is a single element. */
static int64_t boxes_elements(const struct pn_member *shape, const struct pn_place *place) {
  int64_t sum = 0;
  for (int i = 0; i < place->boxes; i++) {
    const int64_t *count = place->counts ? place->counts[i] : NULL;
    int64_t elements = 1;
    for (int d = 0; count && d < shape->dimensions; d++)
      elements *= count[d];
    sum += elements;
  }
  return sum;
}

void pn_describe(const struct pn_library *lib, int ncid, const struct pn_member *shape,
                 const struct pn_place *place, int64_t access[ACCESS_FIELDS]) {
  int64_t elements = 1;
  __builtin_memset(access, 0, ACCESS_FIELDS * sizeof(access[0]));
  switch (place->form) {
  case PN_FORM_var:
    elements = pn_elements(lib, ncid, shape);
    break;
  case PN_FORM_var1:
    break;
  case PN_FORM_vara:
  case PN_FORM_vars:
  case PN_FORM_varm:
    elements = note_box(shape, place, access);
    break;
  case PN_FORM_varn:
    elements = boxes_elements(shape, place);
    break;
  case PN_FORM_vard:
    access[0] = type_bytes(place->filetype);
    return;
  }
  access[0] = elements * shape->type_size;
}
