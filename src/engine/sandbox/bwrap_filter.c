/* bwrap_filter.c - the seccomp program that rejects system calls of a step in bubblewrap.
 * container_filter.c rejects the same calls in containers. */
#define _GNU_SOURCE /* AF_VSOCK */

#include <assert.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "sandbox_internal.h"

/* Numbers of system calls in one ABI of the kernel. 32-bit programs use other numbers, even on a
 * 64-bit machine. */
struct abi {
    uint32_t arch; /* AUDIT_ARCH_...; 0 = only the machine's own ABI, which is not checked */
    uint32_t add_key, request_key, keyctl;
    uint32_t io_uring_setup, socket;
    uint32_t socketcall; /* the old system call that creates sockets; 0 = none */
};

#define NATIVE(which)                                                                              \
    {                                                                                              \
        .arch = (which), .add_key = SYS_add_key, .request_key = SYS_request_key,                   \
        .keyctl = SYS_keyctl, .io_uring_setup = SYS_io_uring_setup, .socket = SYS_socket           \
    }

static const struct abi abis[] = {
#if defined(__x86_64__)
    NATIVE(AUDIT_ARCH_X86_64), /* also x32, whose numbers only add X32_BIT */
    {.arch = AUDIT_ARCH_I386,
     .add_key = 286,
     .request_key = 287,
     .keyctl = 288,
     .io_uring_setup = 425,
     .socket = 359,
     .socketcall = 102},
#elif defined(__aarch64__)
    NATIVE(AUDIT_ARCH_AARCH64),
    {.arch = AUDIT_ARCH_ARM,
     .add_key = 309,
     .request_key = 310,
     .keyctl = 311,
     .io_uring_setup = 425,
     .socket = 281},
#elif defined(__riscv) && __riscv_xlen == 64
    NATIVE(AUDIT_ARCH_RISCV64),
#else
    NATIVE(0),
#endif
};

enum {
    X32_BIT = 0x40000000,
    SOCKETCALL_SOCKET = 1,
    PROGRAM_MAX = 64, /* maximum number of instructions */
};

struct program {
    struct sock_filter code[PROGRAM_MAX];
    size_t len;
};

static void add_instruction(struct program *program, uint16_t code, uint32_t value, uint8_t if_true,
                            uint8_t if_false)
{
    assert(program->len < PROGRAM_MAX);
    program->code[program->len++] =
        (struct sock_filter){.code = code, .jt = if_true, .jf = if_false, .k = value};
}

static void add_load(struct program *program, size_t offset)
{
    add_instruction(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void add_return(struct program *program, uint32_t action)
{
    add_instruction(program, BPF_RET | BPF_K, action, 0, 0);
}

/* Makes the call fail with this error, as if the kernel did not have the call. */
static void refuse_call(struct program *program, uint32_t number, int error)
{
    add_instruction(program, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
    add_return(program, SECCOMP_RET_ERRNO | (uint32_t)error);
}

/* Makes the call fail if its first argument, an int, has this value. Expects the number of the call
 * to be loaded, and returns from the filter if it matches. */
static void refuse_argument(struct program *program, uint32_t number, uint32_t value, int error)
{
    const size_t low = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? sizeof(uint32_t) : 0;
    add_instruction(program, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4);
    add_load(program, offsetof(struct seccomp_data, args) + low);
    add_instruction(program, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    add_return(program, SECCOMP_RET_ERRNO | (uint32_t)error);
    add_return(program, SECCOMP_RET_ALLOW);
}

static void add_abi(struct program *program, const struct abi *abi, bool network)
{
    const size_t jump = program->len;
    if (abi->arch)
        add_instruction(program, BPF_JMP | BPF_JEQ | BPF_K, abi->arch, 0, 0);
    add_load(program, offsetof(struct seccomp_data, nr));
    if (sizeof(void *) == sizeof(uint64_t))
        add_instruction(program, BPF_ALU | BPF_AND | BPF_K, ~(uint32_t)X32_BIT, 0, 0);
    refuse_call(program, abi->add_key, ENOSYS);
    refuse_call(program, abi->request_key, ENOSYS);
    refuse_call(program, abi->keyctl, ENOSYS);
    if (!network) {
        /* AF_VSOCK sockets are not in any network namespace, so they would let a virtual machine
         * reach its host. io_uring can create them too, and filters cannot inspect it. */
        refuse_call(program, abi->io_uring_setup, ENOSYS);
        if (abi->socketcall) /* its arguments are in memory, which a filter cannot read */
            refuse_argument(program, abi->socketcall, SOCKETCALL_SOCKET, ENOSYS);
        refuse_argument(program, abi->socket, AF_VSOCK, EAFNOSUPPORT);
    }
    add_return(program, SECCOMP_RET_ALLOW);
    if (abi->arch)
        program->code[jump].jf = (uint8_t)(program->len - jump - 1);
}

void bwrap_filter_write(bool network, struct str *out)
{
    struct program program = {.len = 0};
    add_load(&program, offsetof(struct seccomp_data, arch));
    for (size_t i = 0; i < ARRAY_LEN(abis); i++)
        add_abi(&program, &abis[i], network);
    add_return(&program, SECCOMP_RET_ERRNO | ENOSYS); /* unknown ABI: reject every call */
    str_add_n(out, (const char *)program.code, program.len * sizeof(program.code[0]));
}

bool bwrap_filter_works(void)
{
    return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
}
