# devs_embed(TARGET FILE NAME): build the bytes of a file into a target. The target sees
# NAME.h with `extern const char NAME[]` (NUL-terminated) and `extern const size_t NAME_len`.
function(devs_embed target file name)
  set(dir "${CMAKE_CURRENT_BINARY_DIR}/embedded")
  set(script "${PROJECT_SOURCE_DIR}/cmake/embed_file.cmake")
  set(embed "${CMAKE_COMMAND}" "-DFILE=${file}" "-DNAME=${name}" "-DDIR=${dir}" -P "${script}")
  if(DEVS_EMBED_NOW) # for tools that read the sources and build nothing
    execute_process(COMMAND ${embed} COMMAND_ERROR_IS_FATAL ANY)
  endif()
  add_custom_command(
    OUTPUT "${dir}/${name}.c" "${dir}/${name}.h"
    COMMAND ${embed}
    DEPENDS "${file}" "${script}"
    COMMENT "embedding ${name}"
    VERBATIM)
  target_sources(${target} PRIVATE "${dir}/${name}.c" "${dir}/${name}.h")
  target_include_directories(${target} PRIVATE "${dir}")
endfunction()
