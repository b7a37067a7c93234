import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Config } from "./config.ts";
import { dataFiles } from "./data-files.ts";

/**
 * What sessions are signed with: `SVC_SECRET`, or one that was made on the first run and kept beside the data. With
 * another value every session ends; nothing else depends on it.
 */
export function keepSecret(config: Config): string {
  if (config.secret !== null) return config.secret;
  const { secret: file } = dataFiles(config.dataDir);
  if (!existsSync(file)) {
    const made = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
    // Exclusive: of two that start at once, one makes it and both read it.
    try {
      writeFileSync(file, `${made}\n`, { mode: 0o600, flag: "wx" });
    } catch (fault) {
      if (!(fault instanceof Error && "code" in fault && fault.code === "EEXIST")) throw fault;
    }
  }
  return readFileSync(file, "utf8").trim();
}
