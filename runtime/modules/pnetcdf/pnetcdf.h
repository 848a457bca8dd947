/* The PnetCDF modules: PNETCDF_FILE and PNETCDF_VAR. Event functions, called after the real call,
 * receive the call, with the library that the caller uses and the frame that collected the calls of
 * lower layers. They query the library only about ids that it has just accepted. */
#ifndef DARSHAN_PNETCDF_H
#define DARSHAN_PNETCDF_H

#include "../../door/door.h"
#include "../layers/layers.h"
#include "../posix/posix-fds.h"
#include "pnetcdf-library.h"
#include "pnetcdf-state.h"

/* Result of a call in which a value did not fit the type in memory or in the file (NC_ERANGE). All
 * other values were transferred, so the call counts. */
enum { PN_OUT_OF_RANGE = -60 };

/* A call of PnetCDF. */
struct pn_call {
  struct pn_library *lib;
  struct layer_frame *frame;
  int result;      /* 0: it succeeded */
  uint64_t t1, t2; /* begin and end, in ticks */
};

/* The id of an open file, and its entry in the table. */
struct pn_known {
  int ncid;
  struct pn_file *file; /* NULL: unknown */
};

/* A variable that a call uses, and its shape. */
struct pn_target {
  struct pn_variable *variable; /* NULL: unknown, or not recorded */
  struct pn_member shape;
};

/* Bytes that the library has transferred through an id so far; -1: unknown. */
struct pn_moved {
  int64_t read, written;
};

/* The functions of ids.c. pn_file_at and pn_variable_at return the state of the file or variable
 * whose record has this number. */
static inline struct pn_file *pn_file_at(uint32_t number) {
  return segments_at(&pnetcdf_state.files, number);
}
static inline struct pn_variable *pn_variable_at(uint32_t number) {
  return segments_at(&pnetcdf_state.variables, number);
}
int pn_start(void);
/* Returns the version of the PnetCDF library that was found last, for example "1.12.3"; "" for
 * none. */
const char *pn_version(void);
void pn_prepare(void);
void pn_forked(void);
struct pn_known pn_known(const struct pn_library *lib, int ncid);
struct pn_target pn_known_target(const struct pn_library *lib, int ncid, int varid);
void pn_remember(const struct pn_library *lib, int ncid, uint32_t file);
void pn_remember_member(const struct pn_library *lib, int ncid, int varid,
                        const struct pn_member *member);
void pn_forget(const struct pn_library *lib, int ncid);
void pn_forget_all(const struct pn_library *lib);
/* Returns the next variable of an open file that was used so far, from the variable id *at on, and
 * sets *at to the id after it. Returns NULL at the end, or if the file is unknown. */
struct pn_variable *pn_next_variable(const struct pn_library *lib, int ncid, uint32_t *at);

/* Functions of files.c. */

void pn_opened(const struct pn_call *call, int counter, const char *path, const int *ncid);
/* Returns the bytes that the library has moved for a file that is about to be closed; -1 for each
 * number that it does not report, or if the file is not recorded. */
struct pn_moved pn_before_close(const struct pn_library *lib, const struct pn_known *known);
void pn_closed(const struct pn_call *call, const struct pn_known *known,
               const struct pn_moved *moved);
/* Counts a metadata call on a file, if it succeeded, and ends its LAYERS frame. counter: index in
 * PNETCDF_FILE; -1 to count only its time. */
void pn_meta(const struct pn_call *call, const struct pn_known *known, int counter);
void pn_waited(const struct pn_call *call, const struct pn_known *known, int counter);
/* Returns the file of an open id; NULL if it is not recorded. If the id is unknown, queries the
 * library for the file's path and enters the id in the table. The caller holds no lock. */
struct pn_file *pn_file_of(const struct pn_library *lib, int ncid);
uint32_t pn_file_number(const struct pn_file *file);

/* Functions of variables.c. */

void pn_variable_opened(const struct pn_call *call, const struct pn_known *known, const int *varid,
                        int defined);
void pn_filled(const struct pn_call *call, const struct pn_known *known, int varid);
/* Returns the variable with the id varid of an open file, with its shape. If the variable is used
 * for the first time, queries the library and makes its record. The member `variable` of the result
 * is NULL if it is not recorded. */
struct pn_target pn_target_of(const struct pn_library *lib, int ncid, int varid);
/* Returns the current number of elements of the whole variable, including all its records; 0 if
 * unknown. */
int64_t pn_elements(const struct pn_library *lib, int ncid, const struct pn_member *shape);

/* The forms in which functions of transfers.def select elements, named as there. */
enum pn_form {
  PN_FORM_var,
  PN_FORM_var1,
  PN_FORM_vara,
  PN_FORM_vars,
  PN_FORM_varm,
  PN_FORM_varn,
  PN_FORM_vard
};
/* The elements that an access selects. The form determines which members are set. */
struct pn_place {
  enum pn_form form;
  const int64_t *count, *stride; /* an element per dimension; stride: NULL: 1 in each */
  int boxes;                     /* number of boxes, for varn */
  const int64_t *const *counts;  /* the lengths of each box; NULL: single elements */
  uintptr_t filetype;            /* an MPI datatype, for vard */
};
/* Computes the bytes, lengths and strides of an access to a variable of this shape in an open file,
 * and stores them in access (common-accesses.h); 0 where they are unknown. */
void pn_describe(const struct pn_library *lib, int ncid, const struct pn_member *shape,
                 const struct pn_place *place, int64_t access[ACCESS_FIELDS]);

/* The APIs of PnetCDF's transfers (ncmpi_put_, ncmpi_get_; i, b: posted for a later wait; m: of
 * several variables). pn_transfer (transfers.c) makes and counts a call of any function of
 * transfers.def, by its number, and returns its result. name: the function's name. arguments: six,
 * or ten with PN_MORE_THAN_SIX. caller: the return address of the wrapper. */
enum { PN_API_put, PN_API_get, PN_API_iput, PN_API_iget, PN_API_bput, PN_API_mput, PN_API_mget };
enum { /* a function's traits are the sum of an API, a form times PN_FORM, a mode, and flags */
       PN_API_MASK = 15,
       PN_FORM = 16,
       PN_MODE_ = 0,
       PN_MODE__all = 256,
       PN_MORE_THAN_SIX = 512
};
int pn_transfer(int function, unsigned traits, const char *name, const uintptr_t *arguments,
                const void *caller);

/* Returns 1 if this call is counted; the wrapper then calls pn_end. Returns 0 if the wrapper must
 * only forward: the library is unknown (NULL), the process does not record, or the call is within
 * another one, because some versions call their own functions by name. */
static inline int pn_begin(const struct pn_library *lib) {
  const char *here = __builtin_frame_address(0);
  if (!lib || !darshan_hot.fd_limit || (darshan_guard & GUARD_VFORK)) return 0;
  if (darshan_inside.pnetcdf && here < darshan_inside.pnetcdf) return 0;
  darshan_inside.pnetcdf = here;
  return 1;
}
static inline void pn_end(void) {
  darshan_inside.pnetcdf = NULL;
}

#endif
