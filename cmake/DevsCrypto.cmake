# One hash is all that is asked of libcrypto. Out of its archive that is 20 KiB of the program; the
# shared library would be loaded and bound, with 21,000 relocations, at each start of a command.
# Where only that is there, it serves as well.
pkg_check_modules(CRYPTO REQUIRED IMPORTED_TARGET libcrypto)
find_library(DEVS_CRYPTO_ARCHIVE libcrypto.a HINTS ${CRYPTO_LIBRARY_DIRS} ${CRYPTO_LIBDIR})
mark_as_advanced(DEVS_CRYPTO_ARCHIVE)

add_library(devs_crypto INTERFACE)
if(DEVS_CRYPTO_ARCHIVE)
  target_include_directories(devs_crypto SYSTEM INTERFACE ${CRYPTO_INCLUDE_DIRS})
  target_link_libraries(devs_crypto INTERFACE "${DEVS_CRYPTO_ARCHIVE}")
else()
  target_link_libraries(devs_crypto INTERFACE PkgConfig::CRYPTO)
endif()
