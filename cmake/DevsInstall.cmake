# What is installed, and where: the program, manual pages and completions that it makes itself, the
# book, examples. All of it can be moved: DESTDIR and --prefix hold.
include(GNUInstallDirs)

set(share "${PROJECT_BINARY_DIR}/share")
set(made "")

# devs_made_by(FILE COMMAND...): a file that a command prints.
function(devs_made_by file)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "COMMAND;DEPENDS")
  get_filename_component(dir "${share}/${file}" DIRECTORY)
  add_custom_command(
    OUTPUT "${share}/${file}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${dir}"
    COMMAND ${arg_COMMAND} > "${share}/${file}"
    DEPENDS devs ${arg_DEPENDS}
    COMMENT "making ${file}"
    VERBATIM)
  list(APPEND made "${share}/${file}")
  set(made "${made}" PARENT_SCOPE)
endfunction()

set(man "${PROJECT_SOURCE_DIR}/scripts/make-man")
set(man_sources "${man}" "${PROJECT_SOURCE_DIR}/scripts/md-to-man"
  "${PROJECT_SOURCE_DIR}/docs/hand.md" "${PROJECT_SOURCE_DIR}/docs/plan.md" "${PROJECT_SOURCE_DIR}/docs/policies.md"
  "${PROJECT_SOURCE_DIR}/docs/run-log.md" "${PROJECT_SOURCE_DIR}/packaging/debian/changelog")
foreach(page devs.1 devs-hand.1 devs.config.5 devs-plan.5 devs-log.7)
  string(REGEX REPLACE ".*\\." "" section "${page}")
  devs_made_by("man/man${section}/${page}"
    COMMAND "${man}" $<TARGET_FILE:devs> "${page}"
    DEPENDS ${man_sources})
endforeach()
devs_made_by(bash-completion/completions/devs COMMAND devs completion bash)
devs_made_by(fish/vendor_completions.d/devs.fish COMMAND devs completion fish)
devs_made_by(zsh/site-functions/_devs COMMAND devs completion zsh)

# Under a sanitizer the program would be slow to tell them, and nobody installs it.
set(always ALL)
if(DEVS_SANITIZE OR DEVS_COVERAGE)
  set(always "")
endif()
add_custom_target(share ${always} DEPENDS ${made} ${DEVS_HAND_STATIC})
add_dependencies(share devs-hand)

# Built by default, but not by `--target devs`.
foreach(file ${made} ${DEVS_HAND_STATIC})
  install(CODE "if(NOT EXISTS \"${file}\")
    message(FATAL_ERROR \"not built yet: ${file}\\n\"
      \"first: cmake --build ${PROJECT_BINARY_DIR} --target devs share\")
  endif()")
endforeach()

install(TARGETS devs RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
if(DEVS_HAND_STATIC)
  install(PROGRAMS "${DEVS_HAND_STATIC}" DESTINATION "${CMAKE_INSTALL_BINDIR}")
else()
  install(TARGETS devs-hand RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
install(DIRECTORY "${share}/man/" DESTINATION "${CMAKE_INSTALL_MANDIR}")
install(DIRECTORY "${share}/bash-completion" "${share}/fish" DESTINATION share)
# Where Debian's zsh looks in /usr, and any zsh elsewhere.
install(CODE [[
  set(zsh site-functions)
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    set(zsh vendor-completions)
  endif()]])
install(CODE "file(INSTALL \"${share}/zsh/site-functions/_devs\"
  DESTINATION \"\${CMAKE_INSTALL_PREFIX}/share/zsh/\${zsh}\")")

set(doc "${CMAKE_INSTALL_DATADIR}/doc/devs")
install(FILES README.md CHANGELOG.md packaging/debian/copyright DESTINATION "${doc}")
install(DIRECTORY docs DESTINATION "${doc}")
install(FILES assets/starter-plan.json assets/lnav/devs_log.json DESTINATION "${doc}/examples")
install(DIRECTORY assets/demo DESTINATION "${doc}/examples"
  PATTERN self.json EXCLUDE) # a plan for this repository
