import { z } from "zod";
import { subjectTotals } from "./subject-totals.ts";

export const sessionResource = z.strictObject({ id: z.string(), ...subjectTotals }).meta({ id: "Session" });
