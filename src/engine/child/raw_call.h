/*
 * raw_call.h - calls of the kernel that leave no note in the memory of the process.
 *
 * The C library writes errno, which is its thread's. What runs in the memory of a thread that goes
 * on at the same time must not. Any thread.
 */
#ifndef DEVS_RAW_CALL_H
#define DEVS_RAW_CALL_H

/* What sanitizers note of a new process that is in our memory would be noted in our name. */
#define IN_OUR_MEMORY __attribute__((no_sanitize("address", "thread", "undefined")))

#define RAW_CALL static inline IN_OUR_MEMORY __attribute__((always_inline))

#if defined(__x86_64__) && !defined(__ILP32__)
#define RAW_CALL_IS_RAW 1
/* The kernel's answer, or the errno as a negative number. Registers as in syscall(2). */
RAW_CALL long raw_call(long number, long a, long b, long c, long d)
{
    register long r10 __asm__("r10") = d;
    long answer;
    __asm__ volatile("syscall"
                     : "=a"(answer)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                     : "rcx", "r11", "memory");
    return answer;
}
#elif defined(__aarch64__) && !defined(__ILP32__)
#define RAW_CALL_IS_RAW 1
/* As above, for the other processor. */
RAW_CALL long raw_call(long number, long a, long b, long c, long d)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
    return x0;
}
#else
#include <errno.h>
#include <unistd.h>
#define RAW_CALL_IS_RAW 0
/* Where the processor is none of these the C library's call stands in, which is not raw. */
RAW_CALL long raw_call(long number, long a, long b, long c, long d)
{
    const long answer = syscall(number, a, b, c, d);
    return answer == -1 ? -errno : answer;
}
#endif

/* An address, as the kernel takes it. */
RAW_CALL long raw_address(const volatile void *memory)
{
    return (long)memory;
}

#endif
