/* Undefines macros that rename functions; glibc has none. */
