/* Wrapper of vfork() in assembler. A C function cannot wrap vfork(), because the child returns
 * through the caller's frame. This code sets GUARD_VFORK for the calling thread and jumps to the
 * real function. The runtime later sees by the process id that the thread is in the parent again
 * (guard.h). */
#if defined(__x86_64__)
        .text
        .globl  vfork
        .type   vfork, @function
vfork:
        endbr64
        movq    darshan_guard@gottpoff(%rip), %rax
        orl     $2, %fs:(%rax)
        movq    real_vfork(%rip), %rax
        testq   %rax, %rax
        jne     1f
        subq    $8, %rsp
        leaq    real_vfork(%rip), %rdi
        leaq    vfork_name(%rip), %rsi
        call    real_resolve
        addq    $8, %rsp
        movq    real_vfork(%rip), %rax
1:      jmp     *%rax
        .size   vfork, .-vfork
#elif defined(__aarch64__)
        .text
        .globl  vfork
        .type   vfork, %function
vfork:
        hint    34 /* bti c */
        adrp    x0, :gottprel:darshan_guard
        ldr     x0, [x0, :gottprel_lo12:darshan_guard]
        mrs     x1, tpidr_el0
        ldr     w2, [x1, x0]
        orr     w2, w2, 2
        str     w2, [x1, x0]
        adrp    x3, real_vfork
        ldr     x16, [x3, :lo12:real_vfork]
        cbnz    x16, 1f
        stp     x29, x30, [sp, -16]!
        adrp    x0, real_vfork
        add     x0, x0, :lo12:real_vfork
        adrp    x1, vfork_name
        add     x1, x1, :lo12:vfork_name
        bl      real_resolve
        ldp     x29, x30, [sp], 16
        adrp    x3, real_vfork
        ldr     x16, [x3, :lo12:real_vfork]
1:      br      x16
        .size   vfork, .-vfork
#endif
        .section .rodata
vfork_name:
        .asciz  "vfork"
        .bss
        .balign 8
        .globl  real_vfork
        .hidden real_vfork
        .type   real_vfork, %object
        .size   real_vfork, 8
real_vfork:
        .zero   8
#include "elf-notes.inc"
