const QUOTE = 34;
const COMMA = 44;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** The memory of one parsed value, roughly: a number in a list takes 8 bytes, an object 100. */
const VALUE_BYTES = 64;

export interface JsonSize {
  readonly depth: number;
  /** Fields and items of lists; an empty object or list counts as one more. */
  readonly values: number;
}

/**
 * Measures JSON text before it is parsed; it need not be valid. 10 MB may hold millions of values, which take 300 MB and
 * block every call for seconds, and traversing deeply nested ones overflows the stack.
 */
export function measureJson(json: Uint8Array): JsonSize {
  let open = 0;
  let depth = 0;
  let values = 0;
  let isInText = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (isInText) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) isInText = false;
      continue;
    }
    if (byte === QUOTE) isInText = true;
    else if (byte === COMMA) values++;
    else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      values++;
      if (++open > depth) depth = open;
    } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) open--;
  }
  return { depth, values };
}

/** The memory of the text and of what is parsed from it. */
export function memoryOf(json: Uint8Array, { values }: JsonSize): number {
  return json.length + values * VALUE_BYTES;
}
