import { z } from "zod";
import { operation } from "../operation.ts";

export const accountSetPassword = operation({
  id: "account.set_password",
  method: "POST",
  path: "/api/account/password",
  summary: "Choose a password, or another one; every other session of the account ends",
  body: z.strictObject({
    password: z.string().min(8).max(128),
    current_password: z
      .string()
      .min(1)
      .max(1024)
      .optional()
      .meta({ description: "Needed once there is a password" }),
  }),
  status: 204,
  scope: "write",
  role: "viewer",
  isForPeople: true,
});
