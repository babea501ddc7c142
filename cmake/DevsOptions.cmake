# How our own code is compiled: one interface target that every target links.
add_library(devs_options INTERFACE)

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

target_compile_definitions(devs_options INTERFACE _POSIX_C_SOURCE=200809L)
target_compile_options(devs_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wundef -Wvla -Wconversion -Wformat=2
  -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wpointer-arith
  -Wcast-qual -Wwrite-strings -Wimplicit-fallthrough -Wnull-dereference
  $<$<C_COMPILER_ID:GNU>:-Wlogical-op -Wduplicated-cond -Wduplicated-branches>)

# For the layers that compute: all of our code ends in programs, where no library can put another
# function in the place of one of ours, so within a file gcc may inline any (clang does so anyway).
set(DEVS_COMPUTING $<$<C_COMPILER_ID:GNU>:-fno-semantic-interposition>)

# What is released is optimised once more when it is linked, over all files of the layers that
# compute: it takes some ten seconds, and reading a plan or a log a fifth less. Their objects hold
# machine code too, so that the other programs, which are many, are linked as ever. What is linked as
# one has the property DEVS_AS_ONE.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE MATCHES "^Rel")
  list(APPEND DEVS_COMPUTING -flto=auto -ffat-lto-objects)
  target_link_options(devs_options INTERFACE
    $<IF:$<BOOL:$<TARGET_PROPERTY:DEVS_AS_ONE>>,-flto=auto,-fno-lto>
    $<$<BOOL:${CMAKE_COMPILE_WARNING_AS_ERROR}>:-Werror>)
endif()

# A supervisor that has lost track of its own state must stop, not guess: asserts
# stay on in every build.
foreach(config RELEASE RELWITHDEBINFO MINSIZEREL)
  string(REPLACE "-DNDEBUG" "" CMAKE_C_FLAGS_${config} "${CMAKE_C_FLAGS_${config}}")
endforeach()

set(DEVS_SANITIZE "" CACHE STRING "sanitizers for the whole build: address,undefined or thread")
option(DEVS_COVERAGE "count the branches taken in core (gcov)" OFF)
option(DEVS_FUZZ "build tests/fuzz as libFuzzer programs (clang)" OFF)
option(DEVS_CCACHE "compile through ccache where it is installed" ON)

if(DEVS_CCACHE AND NOT CMAKE_C_COMPILER_LAUNCHER)
  find_program(DEVS_CCACHE_PROGRAM ccache)
  mark_as_advanced(DEVS_CCACHE_PROGRAM)
  if(DEVS_CCACHE_PROGRAM)
    set(CMAKE_C_COMPILER_LAUNCHER "${DEVS_CCACHE_PROGRAM}")
  endif()
endif()

if(DEVS_SANITIZE)
  target_compile_options(devs_options INTERFACE
    -fsanitize=${DEVS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(devs_options INTERFACE -fsanitize=${DEVS_SANITIZE})
  # gcc defines it by itself.
  if(CMAKE_C_COMPILER_ID MATCHES "Clang" AND DEVS_SANITIZE MATCHES "address")
    target_compile_definitions(devs_options INTERFACE __SANITIZE_ADDRESS__)
  endif()
else()
  # Bytes of strangers go through this program: what the compiler, the linker and the C
  # library can check costs little (docs/security.md). The sanitizers check more, in their way.
  target_compile_options(devs_options INTERFACE
    -fstack-protector-strong -fstack-clash-protection
    $<$<STREQUAL:${CMAKE_SYSTEM_PROCESSOR},x86_64>:-fcf-protection>
    $<$<CONFIG:Release,RelWithDebInfo>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=3>)
endif()
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)
target_link_options(devs_options INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)

# Three hundred tests are linked: lld, where it is installed, takes half the time. What is
# released is linked by the system's own.
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  find_program(DEVS_LLD ld.lld)
  mark_as_advanced(DEVS_LLD)
  if(DEVS_LLD)
    target_link_options(devs_options INTERFACE -fuse-ld=lld)
  endif()
endif()

# The layers that compute are what fuzzers run and what takes time. The rest builds three times as
# fast without optimization.
if(DEVS_FUZZ)
  # Without -fno-builtin, clang folds some calls of string functions that the sanitizer checks.
  set(DEVS_FUZZED -O1 -fno-builtin -fsanitize=fuzzer-no-link)
  list(APPEND DEVS_COMPUTING ${DEVS_FUZZED})
  target_link_options(devs_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Only the layer that scripts/coverage reports on. Its tests have one thread, so the counters need not
# be atomic, which takes several times longer.
if(DEVS_COVERAGE)
  set(DEVS_COUNT_BRANCHES --coverage -fno-inline)
  target_link_options(devs_options INTERFACE --coverage)
endif()
