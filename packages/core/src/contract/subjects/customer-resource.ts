import { z } from "zod";
import { subjectTotals } from "./totals.ts";

export const customerResource = z.strictObject({ id: z.string(), ...subjectTotals }).meta({ id: "Customer" });
