/* Starts a program on any glibc. From 2.34 on, __libc_start_main runs the constructors itself, and
 * the compiler's start object needs this newer symbol version. This file uses the older version,
 * which all releases have, and passes the constructors to it. */
#if defined(__x86_64__)
__asm__(".symver start_main,__libc_start_main@GLIBC_2.2.5");
#else
__asm__(".symver start_main,__libc_start_main@GLIBC_2.17");
#endif

typedef int begin(int argc, char **argv, char **environment);
typedef void constructor(int argc, char **argv, char **environment);

extern int start_main(begin *main, int argc, char **argv, begin *constructors, void (*end)(void),
                      void (*loader_end)(void), void *stack_end);
extern constructor *first[] __asm__("__init_array_start") __attribute__((visibility("hidden")));
extern constructor *behind_last[] __asm__("__init_array_end") __attribute__((visibility("hidden")));
extern void _init(void);

/* Runs the program's constructors. Returns 0, which libc ignores. */
static int construct(int argc, char **argv, char **environment) {
  _init();
  for (constructor **one = first; one < behind_last; one++)
    (*one)(argc, argv, environment);
  return 0;
}

/* Starts the program by libc's older version of this function. Never returns. If the program passes
 * no function that runs constructors, passes `construct`. Destructors need no such function,
 * because the dynamic linker runs them in every release. */
__attribute__((visibility("hidden"))) int __libc_start_main(begin *main, int argc, char **argv,
                                                            begin *constructors, void (*end)(void),
                                                            void (*loader_end)(void),
                                                            void *stack_end) {
  return start_main(main, argc, argv, constructors ? constructors : construct, end, loader_end,
                    stack_end);
}
