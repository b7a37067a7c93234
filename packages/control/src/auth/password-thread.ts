/** The thread of `password-hasher.ts`: one scrypt at a time. */
import { scryptSync } from "node:crypto";
import type { KeyToDerive } from "./password-hasher.ts";

declare const self: Worker;

/** The parameters of better-auth's own hashes: those that are stored keep working. */
const [N, r, p, keyBytes] = [16_384, 16, 1, 64];

self.onmessage = ({ data: { password, salt } }: MessageEvent<KeyToDerive>) => {
  const key = scryptSync(password.normalize("NFKC"), salt, keyBytes, { N, r, p, maxmem: 256 * N * r });
  self.postMessage(key.toString("hex"));
};
