import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Config } from "./config.ts";
import { dataFiles } from "./data-files.ts";

/**
 * The secret that signs sessions: `SVC_SECRET`, or one generated on the first run and stored in the data directory.
 * Changing it ends every session; nothing else depends on it.
 */
export function loadOrCreateSecret(config: Config): string {
  if (config.secret !== null) return config.secret;
  const { secret: file } = dataFiles(config.dataDir);
  if (!existsSync(file)) {
    const made = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
    // Exclusive: of two concurrent starts, one writes it and both read it.
    try {
      writeFileSync(file, `${made}\n`, { mode: 0o600, flag: "wx" });
    } catch (fault) {
      if (!(fault instanceof Error && "code" in fault && fault.code === "EEXIST")) throw fault;
    }
  }
  return readFileSync(file, "utf8").trim();
}
