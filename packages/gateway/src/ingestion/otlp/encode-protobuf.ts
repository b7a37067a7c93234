const utf8 = new TextEncoder();

/** ExportTraceServiceResponse: empty if every span was accepted. */
export function encodeTraceResponse(rejectedSpans: number, errorMessage: string): Uint8Array<ArrayBuffer> {
  if (rejectedSpans === 0 && errorMessage === "") return new Uint8Array(0);
  const partial = [...varintField(1, rejectedSpans), ...bytesField(2, utf8.encode(errorMessage))];
  return Uint8Array.from(bytesField(1, partial));
}

/** google.rpc.Status, the body of every OTLP error. */
export function encodeStatus(code: number, message: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([...varintField(1, code), ...bytesField(2, utf8.encode(message))]);
}

function varintField(number: number, value: number): number[] {
  return value === 0 ? [] : [number << 3, ...varint(value)];
}

function bytesField(number: number, bytes: ArrayLike<number> & Iterable<number>): number[] {
  return [(number << 3) | 2, ...varint(bytes.length), ...bytes];
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
  return bytes;
}
