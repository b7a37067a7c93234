import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { fail } from "@tollgate/core/errors";
import type { RequestBodies } from "@tollgate/core/wire/request-bodies";
import { MAX_BODY_BYTES, tooLarge } from "@tollgate/core/wire/request-body";

const decompress = promisify(gunzip);

/** A body that may be gzip-encoded, limited before and after: a few kilobytes can unpack to gigabytes. */
export async function readCompressed(
  request: Request,
  owner: string,
  bodies: RequestBodies,
): Promise<Uint8Array> {
  const encoding = request.headers.get("content-encoding")?.trim().toLowerCase() || "identity";
  if (encoding !== "identity" && encoding !== "gzip" && encoding !== "x-gzip") {
    throw fail("unsupported_encoding", "Content-Encoding must be gzip or identity");
  }
  const bytes = await bodies.readAsSent(request, owner);
  if (encoding === "identity" || bytes.length === 0) return bytes;
  try {
    return await decompress(bytes, { maxOutputLength: MAX_BODY_BYTES });
  } catch (fault) {
    if (fault instanceof Error && "code" in fault && fault.code === "ERR_BUFFER_TOO_LARGE") throw tooLarge();
    throw fail("invalid_request", "the request body is not valid gzip");
  }
}
