/* Wrappers of warn, err, error and similar functions.  Libraries also use these names for
 * functions with other arguments.  So this code saves all argument registers and jumps to
 * the function that stdio_message_target (messages.c) returns. */
#if defined(__x86_64__)
        .macro MESSAGE name, number
        .globl  \name
        .type   \name, @function
        .balign 16
\name:
        .cfi_startproc
        endbr64
        movl    $\number, %r11d
        jmp     go_on
        .cfi_endproc
        .size   \name, .-\name
        .endm

        .text
        .type   go_on, @function
go_on:
        .cfi_startproc
        subq    $200, %rsp
        .cfi_adjust_cfa_offset 200
        movups  %xmm0, (%rsp)
        movups  %xmm1, 16(%rsp)
        movups  %xmm2, 32(%rsp)
        movups  %xmm3, 48(%rsp)
        movups  %xmm4, 64(%rsp)
        movups  %xmm5, 80(%rsp)
        movups  %xmm6, 96(%rsp)
        movups  %xmm7, 112(%rsp)
        movq    %rdi, 128(%rsp)
        movq    %rsi, 136(%rsp)
        movq    %rdx, 144(%rsp)
        movq    %rcx, 152(%rsp)
        movq    %r8, 160(%rsp)
        movq    %r9, 168(%rsp)
        movq    %rax, 176(%rsp)
        movl    %r11d, %edi
        call    stdio_message_target
        movq    %rax, %r11
        movups  (%rsp), %xmm0
        movups  16(%rsp), %xmm1
        movups  32(%rsp), %xmm2
        movups  48(%rsp), %xmm3
        movups  64(%rsp), %xmm4
        movups  80(%rsp), %xmm5
        movups  96(%rsp), %xmm6
        movups  112(%rsp), %xmm7
        movq    128(%rsp), %rdi
        movq    136(%rsp), %rsi
        movq    144(%rsp), %rdx
        movq    152(%rsp), %rcx
        movq    160(%rsp), %r8
        movq    168(%rsp), %r9
        movq    176(%rsp), %rax
        addq    $200, %rsp
        .cfi_adjust_cfa_offset -200
        jmp     *%r11
        .cfi_endproc
        .size   go_on, .-go_on
#elif defined(__aarch64__)
        .macro MESSAGE name, number
        .globl  \name
        .type   \name, %function
        .balign 16
\name:
        .cfi_startproc
        hint    34 /* bti c */
        mov     w17, \number
        b       go_on
        .cfi_endproc
        .size   \name, .-\name
        .endm

        .text
        .type   go_on, %function
go_on:
        .cfi_startproc
        stp     x29, x30, [sp, -224]!
        .cfi_adjust_cfa_offset 224
        .cfi_rel_offset x29, 0
        .cfi_rel_offset x30, 8
        stp     x0, x1, [sp, 16]
        stp     x2, x3, [sp, 32]
        stp     x4, x5, [sp, 48]
        stp     x6, x7, [sp, 64]
        str     x8, [sp, 80]
        stp     q0, q1, [sp, 96]
        stp     q2, q3, [sp, 128]
        stp     q4, q5, [sp, 160]
        stp     q6, q7, [sp, 192]
        mov     w0, w17
        bl      stdio_message_target
        mov     x16, x0
        ldp     x0, x1, [sp, 16]
        ldp     x2, x3, [sp, 32]
        ldp     x4, x5, [sp, 48]
        ldp     x6, x7, [sp, 64]
        ldr     x8, [sp, 80]
        ldp     q0, q1, [sp, 96]
        ldp     q2, q3, [sp, 128]
        ldp     q4, q5, [sp, 160]
        ldp     q6, q7, [sp, 192]
        ldp     x29, x30, [sp], 224
        .cfi_adjust_cfa_offset -224
        .cfi_restore x29
        .cfi_restore x30
        br      x16
        .cfi_endproc
        .size   go_on, .-go_on
#else
#error "no code for this processor yet: it saves what arguments are in, and asks where to go"
#endif

        /* In the order of messages.c. */
        MESSAGE warn, 0
        MESSAGE warnx, 1
        MESSAGE vwarn, 2
        MESSAGE vwarnx, 3
        MESSAGE err, 4
        MESSAGE errx, 5
        MESSAGE verr, 6
        MESSAGE verrx, 7
        MESSAGE error, 8
        MESSAGE error_at_line, 9
        .hidden stdio_message_target
#include "../../intercept/elf-notes.inc"
