import { z } from "zod";

/** In a path any text will do: what is not an id of this organization is simply not found. */
export const objectId = z.string().min(1).max(256);

/** Of an agent, a session or a customer, as a caller wrote it: up to 256 characters, some of which count double here. */
export const callerId = z.string().min(1).max(1024);

export const callerIdParams = z.strictObject({ id: callerId });

export const idParams = z.strictObject({ id: objectId });
