import { z } from "zod";

/** Beside every cost that is a sum: how much of it is missing. */
export const unpricedCalls = z.int().meta({
  description: "Calls whose cost nobody knows: counted as calls, in no cost here (`svc prices rerate`)",
});
