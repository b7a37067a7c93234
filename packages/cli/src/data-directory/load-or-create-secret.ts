import { existsSync, readFileSync } from "node:fs";
import { MIN_SECRET_LENGTH } from "@tollgate/control/features/auth/min-secret-length";
import type { Config } from "../config/config.ts";
import { createWholeFile } from "./create-whole-file.ts";
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
    createWholeFile(file, `${made}\n`);
  }
  const secret = readFileSync(file, "utf8").trim();
  // Anybody could sign sessions with a secret that is empty or can be guessed.
  if (secret.length < MIN_SECRET_LENGTH) {
    throw new Error(
      `${file} has fewer than ${MIN_SECRET_LENGTH} characters: restore it from a backup, or delete it; the next start then generates a new one, and everybody has to sign in again`,
    );
  }
  return secret;
}
