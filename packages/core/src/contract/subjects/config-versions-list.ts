import { z } from "zod";
import { nextCursor } from "../fields/cursor.ts";
import { operation } from "../operation.ts";
import { subjectPageQuery } from "./page-query.ts";
import { subjectTotals } from "./totals.ts";

export const configVersionsList = operation({
  id: "config_versions.list",
  method: "GET",
  path: "/api/config-versions",
  summary: "Cost by configuration revision; two labels are one only if they are identical",
  query: subjectPageQuery,
  output: z.strictObject({
    config_versions: z.array(z.strictObject({ config_version: z.string(), ...subjectTotals })),
    next_cursor: nextCursor,
  }),
  status: 200,
  scope: "read",
  role: "viewer",
});
