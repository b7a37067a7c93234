import { fail, type TollgateError } from "@tollgate/core/errors";

export const MAX_BODY_BYTES = 10_485_760;

/** Counted while reading: a body without Content-Length is not trusted to be small. */
export async function readBody(request: Request): Promise<Uint8Array> {
  const encoding = request.headers.get("content-encoding");
  if (encoding && encoding.toLowerCase() !== "identity") {
    throw fail("unsupported_encoding", "compressed request bodies are not accepted; send the body as it is");
  }
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > MAX_BODY_BYTES) throw tooLarge();
  if (!request.body) return new Uint8Array(0);
  const pieces: Uint8Array[] = [];
  let size = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      // The client left in the middle: nobody reads this, but it is no fault of ours.
      throw fail("invalid_json", "the request ended before its body was complete");
    });
    if (done) return Buffer.concat(pieces, size);
    size += value.length;
    if (size > MAX_BODY_BYTES) {
      await reader.cancel();
      throw tooLarge();
    }
    pieces.push(value);
  }
}

function tooLarge(): TollgateError {
  return fail("payload_too_large", `the request body is larger than ${MAX_BODY_BYTES} bytes`);
}
