/* The signal trampolines: the kernel enters them in place of the application's handlers
 * (handlers.c). Each is 16 bytes long, passes its number as the fourth argument and jumps to
 * handler_met. */
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
        /* Without SA_SIGINFO the kernel of AArch64 passes no context. The context is in the signal
         * frame nevertheless, after the 128 bytes of a siginfo_t. */
        .if     number < DOORS / 2
        add     x2, sp, 128
        .endif
        b       handler_met
        .balign 16
#endif
        .set    number, number + 1
        .endr
        .size   handler_doors, .-handler_doors
#include "../elf-notes.inc"
