import { z } from "zod";

/** Any text is valid in a path: what is not an id of this organization is not found. */
export const objectId = z.string().min(1).max(256);

/** A caller's own id of an agent, session or customer: up to 256 characters, some of which have a length of 2 here. */
export const callerId = z.string().min(1).max(1024);

export const callerIdParams = z.strictObject({ id: callerId });

export const idParams = z.strictObject({ id: objectId });
