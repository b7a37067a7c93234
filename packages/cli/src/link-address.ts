import { UsageError } from "./command.ts";
import type { Config } from "./config.ts";
import { findRunningInstance } from "./instance.ts";

/**
 * The address that links of a command begin with: `SVC_PUBLIC_URL`; else that of the instance which runs on the data
 * directory, whatever port it was given; else where one will be. An address that a stopped one left behind is not used.
 */
export function linkAddress(config: Config): string {
  if (config.isPublicUrlGiven) return config.publicUrl;
  const addresses = findRunningInstance(config.dataDir)?.addresses;
  if (addresses) return addresses.public ?? addresses.web;
  if (config.webPort === 0) {
    throw new UsageError(
      "with SVC_WEB_PORT=0 the address is known only while Tollgate runs: start it first, or set SVC_PUBLIC_URL",
    );
  }
  return config.publicUrl;
}
