import { fail } from "@tollgate/core/errors";

const MAX_BYTES = 16_384;

/** The body of a sign-in. Counted while reading: whoever is not signed in must not fill our memory. */
export async function readSmallJson(request: Request): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw fail("payload_too_large", "The body is too large");
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw fail("invalid_json", "The body is not valid JSON");
  }
}
