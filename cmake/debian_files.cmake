# Before the package is packed: manual pages and changelogs compressed, without a time of day in them.
set(top "${CPACK_TEMPORARY_DIRECTORY}${CPACK_PACKAGING_INSTALL_PREFIX}")
set(doc "${top}/share/doc/devs")
file(RENAME "${doc}/CHANGELOG.md" "${doc}/changelog")
file(COPY_FILE "${CPACK_DEVS_SOURCE_DIR}/packaging/debian/changelog" "${doc}/changelog.Debian")
file(GLOB pages "${top}/share/man/man*/*")
execute_process(COMMAND gzip -9n ${pages} "${doc}/changelog" "${doc}/changelog.Debian"
  COMMAND_ERROR_IS_FATAL ANY)
