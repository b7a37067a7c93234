import { z } from "zod";
import { isoTime } from "./iso-time.ts";

/** The window that an answer is really about, after clamping. */
export const periodResource = z.strictObject({ from: isoTime, to: isoTime }).meta({ id: "Period" });
