import { createGunzip } from "node:zlib";
import { fail, TollgateError } from "@tollgate/core/errors";
import { collectBody } from "@tollgate/core/wire/collect-body";
import { MAX_BODY_BYTES } from "@tollgate/core/wire/request-body";
import type { Gateway } from "../gateway.ts";

/** A body that may be gzip-encoded, limited before and after: a few kilobytes can unpack to gigabytes. */
export async function readCompressed(
  request: Request,
  owner: string,
  { bodies, bodyRoom }: Gateway,
): Promise<Uint8Array> {
  const encoding = request.headers.get("content-encoding")?.trim().toLowerCase() || "identity";
  if (encoding !== "identity" && encoding !== "gzip" && encoding !== "x-gzip") {
    throw fail("unsupported_encoding", "Content-Encoding must be gzip or identity");
  }
  const bytes = await bodies.readAsSent(request, owner);
  if (encoding === "identity" || bytes.length === 0) return bytes;
  const gunzip = createGunzip();
  gunzip.end(bytes);
  const pieces: AsyncIterator<Uint8Array> = gunzip[Symbol.asyncIterator]();
  try {
    return await collectBody(() => pieces.next(), owner, MAX_BODY_BYTES, bodyRoom);
  } catch (fault) {
    if (fault instanceof TollgateError) throw fault;
    throw fail("invalid_request", "the request body is not valid gzip");
  } finally {
    gunzip.destroy();
  }
}
