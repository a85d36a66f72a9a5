#include <stdlib.h>
#include <stdint.h>
#include "cmark.h"
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  free(cmark_markdown_to_html((const char *)data, size, CMARK_OPT_SMART));
  return 0;
}
