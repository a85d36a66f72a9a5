#include <stdint.h>
#include <stddef.h>
#include "yaml.h"
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  yaml_parser_t p;
  yaml_document_t d;
  if (!yaml_parser_initialize(&p)) return 0;
  yaml_parser_set_input_string(&p, data, size);
  for (;;) {
    if (!yaml_parser_load(&p, &d)) break;
    int more = yaml_document_get_root_node(&d) != NULL;
    yaml_document_delete(&d);
    if (!more) break;
  }
  yaml_parser_delete(&p);
  return 0;
}
