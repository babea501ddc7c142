# devs_add_layer(NAME FOLDERS a b SOURCES a/x.c b/y.c LINKS layers... PRIVATE_LINKS libraries...)
# One static library. Other layers see include/NAME; src/NAME is its own, in FOLDERS where it is
# large.
function(devs_add_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "" "FOLDERS;SOURCES;LINKS;PRIVATE_LINKS")
  add_library(devs_${name} STATIC ${layer_SOURCES})
  set(own "${PROJECT_SOURCE_DIR}/src/${name}")
  list(TRANSFORM layer_FOLDERS PREPEND "${own}/")
  list(PREPEND layer_FOLDERS "${own}")
  set_target_properties(devs_${name} PROPERTIES DEVS_FOLDERS "${layer_FOLDERS}")
  target_include_directories(devs_${name}
    PUBLIC "${PROJECT_SOURCE_DIR}/include/${name}"
    PRIVATE ${layer_FOLDERS})
  target_link_libraries(devs_${name}
    PUBLIC ${layer_LINKS}
    PRIVATE devs_options ${layer_PRIVATE_LINKS})
endfunction()

# devs_see_inside(TARGET LAYER)
# The target sees the layer's private headers too.
function(devs_see_inside target layer)
  get_target_property(folders devs_${layer} DEVS_FOLDERS)
  target_include_directories(${target} PRIVATE ${folders})
endfunction()

# devs_add_script_test(LABEL NAME COMMAND...)
# The CTest test LABEL.NAME, of a program that exists: it exits with 77 where it cannot be tried. The
# time limit ends what hangs, and is no measure.
function(devs_add_script_test label name)
  add_test(NAME ${label}.${name} COMMAND ${ARGN})
  set_tests_properties(${label}.${name} PROPERTIES
    LABELS ${label}
    TIMEOUT 900
    SKIP_RETURN_CODE 77
    ENVIRONMENT "TMPDIR=${DEVS_TEST_TMPDIR}")
endfunction()

# devs_add_test(LAYER MODULE [libraries...])
# tests/LAYER/test_MODULE.c becomes the CTest test LAYER.MODULE. It sees the
# layer's private headers too.
#
# All cases of a program run in one process: a process for each costs more than most cases, and leak
# checkers see more. The programs below start processes, change signals or end by abort(): each of
# their cases is a process of its own. CK_FORK=yes before any other program names a case that crashes.
set(forking_tests "^((chaos|cli|engine|proxy)\\..*|base\\.str|ui\\.(app.*|log_pager|prompt|term))$")

function(devs_add_test layer module)
  set(target test_${layer}_${module})
  add_executable(${target} "${PROJECT_SOURCE_DIR}/tests/${layer}/test_${module}.c")
  devs_see_inside(${target} ${layer})
  target_link_libraries(${target} PRIVATE devs_options devs_${layer} devs_test_support ${ARGN})
  add_test(NAME ${layer}.${module} COMMAND ${target})
  set(environment "TMPDIR=${DEVS_TEST_TMPDIR}" "DEVS_SOURCE_DIR=${PROJECT_SOURCE_DIR}")
  if(NOT "${layer}.${module}" MATCHES "${forking_tests}")
    list(APPEND environment CK_FORK=no)
  endif()
  set_tests_properties(${layer}.${module} PROPERTIES
    LABELS ${layer}
    TIMEOUT 900
    SKIP_RETURN_CODE 77
    ENVIRONMENT "${environment}")
endfunction()
