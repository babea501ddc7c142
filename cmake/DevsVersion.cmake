# devs_version(TARGET): TARGET sees version_text() of version.h, which also names the commit. Each
# build looks anew, and compiles again only where the answer is another. May be called for several
# targets.
set(DEVS_VERSION_FILE "${PROJECT_BINARY_DIR}/version.c")
add_custom_target(devs_version_file
  COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${PROJECT_SOURCE_DIR}" "-DVERSION=${PROJECT_VERSION}"
    "-DFILE=${DEVS_VERSION_FILE}" -P "${PROJECT_SOURCE_DIR}/cmake/write_version.cmake"
  BYPRODUCTS "${DEVS_VERSION_FILE}"
  COMMENT "looking for the commit"
  VERBATIM)

function(devs_version target)
  add_dependencies(${target} devs_version_file)
  target_sources(${target} PRIVATE "${DEVS_VERSION_FILE}")
endfunction()
