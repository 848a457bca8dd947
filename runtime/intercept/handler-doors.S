/* Where the kernel enters a handler of the program's (handlers.c): each of these pieces of
 * 16 bytes adds its number to the three arguments of a handler and jumps to handler_met. */
#define DOORS 256
        .text
        .balign 16
        .globl  handler_doors
        .hidden handler_doors
        .type   handler_doors, %object
handler_doors:
        .set    number, 0
        .rept   DOORS
#if defined(__x86_64__)
        endbr64
        movl    $number, %ecx
        jmp     handler_met
        .balign 16
#elif defined(__aarch64__)
        hint    34 /* bti c */
        mov     w3, number
        /* Without SA_SIGINFO this kernel gives no context.  It lies in the frame all the same,
         * behind the 128 bytes of a siginfo_t. */
        .if     number < DOORS / 2
        add     x2, sp, 128
        .endif
        b       handler_met
        .balign 16
#endif
        .set    number, number + 1
        .endr
        .size   handler_doors, .-handler_doors
#include "elf-notes.inc"
