/* A target for a fuzzer: sums, products, brackets, names and lists, read by recursive descent. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const char *at, *end;
static int depth;
static long expression(void);

static char peek(void) { return at < end ? *at : 0; }
static char next(void) { return at < end ? *at++ : 0; }

static long number(void) {
  long n = 0;
  if (peek() == '0' && end - at > 1 && at[1] == 'x') {
    at += 2;
    for (;; at++) {
      char c = peek();
      if (c >= '0' && c <= '9') n = n * 16 + c - '0';
      else if (c >= 'a' && c <= 'f') n = n * 16 + c - 'a' + 10;
      else return n & 0xffff;
    }
  }
  while (peek() >= '0' && peek() <= '9') n = (n * 10 + next() - '0') & 0xffff;
  return n;
}

static long name(void) {
  const char *from = at;
  while (peek() >= 'a' && peek() <= 'z') at++;
  size_t size = (size_t)(at - from);
  if (size == 3 && !memcmp(from, "max", 3) && next() == '(') {
    long best = expression();
    while (peek() == ',') {
      next();
      long other = expression();
      if (other > best) best = other;
    }
    return next() == ')' ? best : -1;
  }
  if (size == 2 && !memcmp(from, "pi", 2)) return 3;
  if (size == 1 && *from == 'e') return 2;
  return 0;
}

static long factor(void) {
  if (++depth > 50) return 0;
  long value = 0;
  switch (peek()) {
    case '(': next(); value = expression(); if (peek() == ')') next(); break;
    case '-': next(); value = -factor(); break;
    case '!': next(); value = !factor(); break;
    case '[': next();
      while (peek() && peek() != ']') { value += expression(); if (peek() == ',') next(); else break; }
      next(); break;
    default: value = peek() >= 'a' && peek() <= 'z' ? name() : number();
  }
  depth--;
  return value;
}

static long term(void) {
  long value = factor();
  for (;;) {
    if (peek() == '*') { next(); value = (value * factor()) & 0xffff; }
    else if (peek() == '/') { next(); long by = factor(); value = by ? value / by : 0; }
    else if (peek() == '%') { next(); long by = factor(); value = by ? value % by : 0; }
    else return value;
  }
}

static long expression(void) {
  long value = term();
  for (;;) {
    if (peek() == '+') { next(); value += term(); }
    else if (peek() == '-') { next(); value -= term(); }
    else if (peek() == '<') { next(); value = value < term(); }
    else return value;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  at = (const char *)data;
  end = at + size;
  depth = 0;
  volatile long value = expression();
  (void)value;
  return 0;
}
