import { z } from "zod";
import { declareOperations, readAccess } from "./operation.ts";

const installationResource = z
  .strictObject({
    gateway_url: z.string().meta({ description: "Where clients send their calls; without `/v1`" }),
    web_url: z.string().meta({ description: "Base URL of the dashboard and the web API" }),
    mcp_url: z.string().meta({ description: "The hosted tool server" }),
    sign_in: z
      .enum(["password", "identity_provider"])
      .meta({ description: "How people sign in; the same for every organization" }),
  })
  .meta({ id: "Installation" });

export const installationOperations = declareOperations({
  "installation.get": {
    method: "GET",
    path: "/api/installation",
    summary: "The addresses of this installation, and how people sign in",
    output: installationResource,
    ...readAccess,
  },
});
