/**
 * `traceparent` of W3C Trace Context: version, trace id, id of the client's current span and flags, in lower-case hex.
 * Always 55 characters, so its parts are found by position. All-zero ids are not valid, nor is version ff.
 */
const pattern = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
const LENGTH = 55;

export function isTraceparent(text: string): boolean {
  return text.length === LENGTH && pattern.test(text);
}

export function traceIdOf(traceparent: string): string {
  return traceparent.slice(3, 35);
}

export function spanIdOf(traceparent: string): string {
  return traceparent.slice(36, 52);
}
