import { fail, TollgateError } from "./errors.ts";
import { wholeBody } from "./whole-body.ts";

/** The same for every POST of both planes. */
export const MAX_BODY_BYTES = 10_485_760;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** Counted while reading: a body without Content-Length is not trusted to be small. Throws at once what it can. */
export function readBytes(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const encoding = request.headers.get("content-encoding");
  if (encoding && encoding.toLowerCase() !== "identity") {
    throw fail("unsupported_encoding", "compressed request bodies are not accepted; send the body as it is");
  }
  return readAsSent(request);
}

/** The bytes that came, compressed or not. */
export function readAsSent(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > MAX_BODY_BYTES) throw tooLarge();
  return (declared === null ? readCounted(request) : wholeBody(request)).catch(refuseBroken);
}

/** The client left in the middle: nobody reads this, but it is no fault of ours. */
function refuseBroken(fault: unknown): never {
  if (fault instanceof TollgateError) throw fault;
  throw fail("invalid_json", "the request ended before its body was complete");
}

async function readCounted(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  if (!request.body) return new Uint8Array(0);
  const pieces: Uint8Array[] = [];
  let size = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > MAX_BODY_BYTES) {
      await reader.cancel();
      throw tooLarge();
    }
    pieces.push(value);
  }
  return new Uint8Array(Buffer.concat(pieces, size));
}

/** Whatever it holds; how deep or how much is the caller's to bound. */
export function parseJsonObject(
  bytes: Uint8Array,
  parse: (text: string) => unknown = JSON.parse,
): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parse(decoder.decode(bytes));
  } catch {
    // The parser's own sentence may quote the body.
    throw fail("invalid_json", "the request body is not valid JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw fail("invalid_json", "the request body must be a JSON object");
  }
  return value as Readonly<Record<string, unknown>>;
}

export function tooLarge(): TollgateError {
  return fail("payload_too_large", `the request body is larger than ${MAX_BODY_BYTES} bytes`);
}
