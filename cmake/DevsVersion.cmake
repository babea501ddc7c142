# devs_version(TARGET): TARGET sees version_text() of version.h, which also names the commit. Each
# build looks anew, and compiles again only where the answer is another.
function(devs_version target)
  set(file "${CMAKE_CURRENT_BINARY_DIR}/version.c")
  set(script "${PROJECT_SOURCE_DIR}/cmake/write_version.cmake")
  add_custom_target(devs_version_file
    COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${PROJECT_SOURCE_DIR}" "-DVERSION=${PROJECT_VERSION}"
      "-DFILE=${file}" -P "${script}"
    BYPRODUCTS "${file}"
    COMMENT "looking for the commit"
    VERBATIM)
  add_dependencies(${target} devs_version_file)
  target_sources(${target} PRIVATE "${file}")
endfunction()
