import { z } from "zod";
import { subjectTotals } from "./subject-totals.ts";

export const customerResource = z.strictObject({ id: z.string(), ...subjectTotals }).meta({ id: "Customer" });
