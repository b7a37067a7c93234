import { z } from "zod";

/** In a path any text will do: what is not an id of this organization is simply not found. */
export const objectId = z.string().min(1).max(256);

export const idParams = z.strictObject({ id: objectId });
