import type { installationOperations } from "@tollgate/core/contract/installation";
import type { Handlers } from "../../kernel/handler.ts";

export const installationHandlers: Handlers<typeof installationOperations> = {
  "installation.get": async ({ accounts, gatewayUrl, publicUrl }) => ({
    gateway_url: gatewayUrl,
    web_url: publicUrl,
    mcp_url: `${publicUrl}/mcp`,
    sign_in: accounts.external ? "identity_provider" : "password",
  }),
};
