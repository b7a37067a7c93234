import { operations } from "@tollgate/core/contract/operations";
import { createClient } from "@tollgate/sdk/client";
import { ClientError } from "@tollgate/sdk/client-error";
import type { StdioConfig } from "./stdio-config.ts";
import type { CallOperation } from "./tool.ts";
import { Unreachable } from "./tool-error.ts";

/** Calls operations over HTTP. Reads are retried with back-off; a write is not, because it may have taken effect. */
export function callOverHttp({ apiKey, apiUrl }: StdioConfig, userAgent: string): CallOperation {
  const client = createClient({ baseUrl: apiUrl, apiUrl, apiKey, headers: { "user-agent": userAgent } });
  return async (id, ...input) => {
    try {
      return await client.call(id, ...input);
    } catch (fault) {
      if (fault instanceof ClientError) throw fault;
      throw new Unreachable(apiUrl, operations[id].method !== "GET");
    }
  };
}
