/* Selects the functions that a program calls: with -DLARGE those with large counts, otherwise those
 * with int counts. */
#ifdef LARGE
#include "large.h"
#define FORM(name) name##_c
#define COUNT MPI_Count
#define PLACE MPI_Aint
#else
#define FORM(name) name
#define COUNT int
#define PLACE int
#endif
