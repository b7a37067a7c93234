import { z } from "zod";
import { subjectTotals } from "./totals.ts";

export const sessionResource = z.strictObject({ id: z.string(), ...subjectTotals }).meta({ id: "Session" });
