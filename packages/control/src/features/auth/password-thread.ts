/** The worker thread of `password-hasher.ts`: one scrypt at a time. */
import { scryptSync } from "node:crypto";
import type { KeyToDerive } from "./password-hasher.ts";

declare const self: Worker;

/** As in better-auth's hashes. */
const [r, p, keyBytes] = [16, 1, 64];

self.onmessage = ({ data: { password, salt, cost: N } }: MessageEvent<KeyToDerive>) => {
  const key = scryptSync(password.normalize("NFKC"), salt, keyBytes, { N, r, p, maxmem: 256 * N * r });
  self.postMessage(key.toString("hex"));
};
