import { parseArgs } from "node:util";
import { API_VERSION } from "@tollgate/core/contract/api-version";
import { GATEWAY_VERSION } from "@tollgate/gateway/version";

/** The version that `/health` and backups name; the web API is versioned on its own. */
export async function printVersion(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { json: { type: "boolean" } } });
  const versions = { version: GATEWAY_VERSION, web_api: API_VERSION, bun: Bun.version };
  process.stdout.write(`${values.json ? JSON.stringify(versions) : GATEWAY_VERSION}\n`);
  return 0;
}
