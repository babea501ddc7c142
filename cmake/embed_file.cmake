# Turns FILE into DIR/NAME.c and DIR/NAME.h; see DevsEmbed.cmake.
file(READ "${FILE}" hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
string(REGEX REPLACE "(('..x..',)('..x..',)('..x..',)('..x..',)('..x..',)('..x..',)('..x..',)('..x..',))"
  "\\1\n" bytes "${bytes}")
string(TOUPPER "${NAME}" guard)
file(WRITE "${DIR}/${NAME}.h"
  "#ifndef DEVS_${guard}_H\n#define DEVS_${guard}_H\n\n#include <stddef.h>\n\n"
  "extern const char ${NAME}[];\nextern const size_t ${NAME}_len;\n\n#endif\n")
file(WRITE "${DIR}/${NAME}.c"
  "#include \"${NAME}.h\"\n\nconst char ${NAME}[] = {\n${bytes}\n'\\0'};\n"
  "const size_t ${NAME}_len = sizeof(${NAME}) - 1;\n")
