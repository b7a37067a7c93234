import { fail } from "@tollgate/core/errors";
import type { RequestBodies } from "@tollgate/core/wire/request-bodies";

const MAX_BYTES = 16_384;

/** The body of a sign-in: a stranger must not be able to fill our memory. */
export async function readSmallJson(request: Request, bodies: RequestBodies): Promise<unknown> {
  const bytes = await bodies.read(request, "", MAX_BYTES);
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    throw fail("invalid_json", "The body is not valid JSON");
  }
}
