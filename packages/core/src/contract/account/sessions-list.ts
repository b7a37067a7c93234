import { z } from "zod";
import { isoTime } from "../fields/iso-time.ts";
import { operation } from "../operation.ts";

export const accountSessionsList = operation({
  id: "account.sessions.list",
  method: "GET",
  path: "/api/account/sessions",
  summary: "Where the account is signed in, newest first; at most 100",
  output: z.strictObject({
    sessions: z.array(
      z.strictObject({
        id: z.string(),
        current: z.boolean(),
        user_agent: z.string().nullable(),
        created_at: isoTime,
        expires_at: isoTime,
      }),
    ),
  }),
  status: 200,
  scope: "read",
  role: "viewer",
  isForPeople: true,
});
