# The Debian package: `make package`. Which libraries it needs dpkg-shlibdeps says.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_VENDOR "the devs authors")
# Who maintains it is said in the changelog alone.
file(STRINGS "${PROJECT_SOURCE_DIR}/packaging/debian/changelog" signatures REGEX "^ -- ")
list(GET signatures 0 signature)
string(REGEX REPLACE "^ -- (.*>)  .*" "\\1" CPACK_PACKAGE_CONTACT "${signature}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "cockpit and retry engine for coding-agent runs")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"devs runs the steps of a plan, commands and prompts to coding agents alike,
phase by phase. What fails is judged by rules: what the world did is tried
again after a wait, what the work did is not, and what goes in circles is
stopped. Everything is kept in one SQLite file, from which a terminal cockpit
shows runs live and plays them back.
.
It knows Claude Code, Codex, Gemini CLI, opencode, Qwen Code and pi, and can
serve its tools to an agent by the Model Context Protocol.")
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "bubblewrap, git")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "bash-completion, lnav, podman, sqlite3")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# What Debian wants of the files is done to the copies that are packed.
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/debian_files.cmake")
set(CPACK_DEVS_SOURCE_DIR "${PROJECT_SOURCE_DIR}")
include(CPack)
