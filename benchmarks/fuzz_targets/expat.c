#include <stdint.h>
#include <stddef.h>
#include "expat.h"
static void start(void *u, const XML_Char *n, const XML_Char **a) {}
static void end(void *u, const XML_Char *n) {}
static void text(void *u, const XML_Char *s, int n) {}
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  XML_Parser p = XML_ParserCreateNS(NULL, '|');
  XML_SetHashSalt(p, 1);
  XML_SetElementHandler(p, start, end);
  XML_SetCharacterDataHandler(p, text);
  XML_SetParamEntityParsing(p, XML_PARAM_ENTITY_PARSING_ALWAYS);
  XML_Parse(p, (const char *)data, (int)size, 1);
  XML_ParserFree(p);
  return 0;
}
