/* The form of the functions that a program calls: with -DLARGE that with large counts. */
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
