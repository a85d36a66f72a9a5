#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "quickjs.h"
static int ticks;
static int stop(JSRuntime *r, void *o) { return ++ticks > 20; }
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  memcpy(text, data, size);
  text[size] = 0;
  ticks = 0;
  JSRuntime *r = JS_NewRuntime();
  JS_SetMemoryLimit(r, 16 << 20);
  JS_SetMaxStackSize(r, 256 << 10);
  JS_SetInterruptHandler(r, stop, NULL);
  JSContext *c = JS_NewContext(r);
  JS_FreeValue(c, JS_Eval(c, text, size, "<input>", JS_EVAL_TYPE_GLOBAL));
  JS_FreeContext(c);
  JS_FreeRuntime(r);
  free(text);
  return 0;
}
