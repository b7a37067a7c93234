import type { BodyRoom } from "./body-room.ts";
import { tooLarge } from "./request-body.ts";

/** Joins the pieces of a body whose size is not known in advance. It takes room while it grows, until it is complete. */
export async function collectBody(
  next: () => Promise<{ readonly done?: boolean; readonly value?: Uint8Array | undefined }>,
  owner: string,
  maxBytes: number,
  room: BodyRoom,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { value } = await next();
      if (value === undefined) return new Uint8Array(Buffer.concat(pieces, size));
      const grown = size + value.length;
      if (grown > maxBytes) throw tooLarge(maxBytes);
      room.take(owner, grown, size);
      size = grown;
      pieces.push(value);
    }
  } finally {
    room.release(owner, size);
  }
}
