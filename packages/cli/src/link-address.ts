import { UsageError } from "./command.ts";
import type { Config } from "./config.ts";
import { findRunningInstance } from "./instance.ts";

/**
 * The base address of links that a command prints: `SVC_PUBLIC_URL`, otherwise the address of the instance running on
 * the data directory, otherwise the configured one. An address left behind by a stopped instance is not used.
 */
export function linkAddress(config: Config): string {
  if (config.isPublicUrlGiven) return config.publicUrl;
  const addresses = findRunningInstance(config.dataDir)?.addresses;
  if (addresses) return addresses.public ?? addresses.web;
  if (config.webPort === 0) {
    throw new UsageError(
      "with SVC_WEB_PORT=0 the address is known only while Tollgate is running: start it first, or set SVC_PUBLIC_URL",
    );
  }
  return config.publicUrl;
}
