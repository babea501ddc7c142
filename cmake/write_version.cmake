# Writes FILE, which defines version_text(): VERSION, and the commit where SOURCE is the top of a git
# checkout, with a + where a file of it was changed since. See DevsVersion.cmake.
set(text "${VERSION}")
find_program(git git)
if(git AND EXISTS "${SOURCE}/.git")
  # Whoever builds from a hook of git has set these for another purpose. Nothing is locked: somebody
  # may be at work in the checkout.
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env --unset=GIT_DIR --unset=GIT_WORK_TREE --unset=GIT_INDEX_FILE
      GIT_OPTIONAL_LOCKS=0
      "${git}" -C "${SOURCE}" status --porcelain=v2 --branch --untracked-files=no
    OUTPUT_VARIABLE status
    RESULT_VARIABLE code
    ERROR_QUIET)
  # Seven digits, whatever else is in the repository.
  if(code EQUAL 0 AND status MATCHES "# branch\\.oid ([0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f])")
    set(commit "${CMAKE_MATCH_1}")
    if(status MATCHES "(^|\n)[12u] ")
      string(APPEND commit "+")
    endif()
    string(APPEND text " (${commit})")
  endif()
endif()

set(code "#include \"version.h\"\n\nconst char *version_text(void)\n{\n    return \"${text}\";\n}\n")
if(EXISTS "${FILE}")
  file(READ "${FILE}" present)
endif()
if(NOT "${present}" STREQUAL "${code}")
  file(WRITE "${FILE}" "${code}")
endif()
