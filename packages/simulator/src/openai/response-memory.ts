import { createHash } from "node:crypto";
import type { JsonObject } from "@tollgate/core/wire/json-fields";

interface RememberedResponse {
  readonly response: JsonObject;
  readonly input: readonly JsonObject[];
}

/** What `store` promises: a response can be fetched, continued and deleted, but only with the key that created it. */
interface ResponseMemory {
  recall(owner: string, id: string): RememberedResponse | null;
  remember(owner: string, id: string, remembered: RememberedResponse): void;
  forget(owner: string, id: string): boolean;
}

/** Bounded: test traffic must not fill a gateway's memory. The oldest are evicted first. */
export function createResponseMemory(maxCharacters: number): ResponseMemory {
  const kept = new Map<string, { remembered: RememberedResponse; characters: number }>();
  let total = 0;
  // Only a hash of the key is stored: a key must not stay in memory longer than its call.
  const place = (owner: string, id: string) => `${createHash("sha256").update(owner).digest("hex")} ${id}`;
  const drop = (key: string): boolean => {
    total -= kept.get(key)?.characters ?? 0;
    return kept.delete(key);
  };
  return {
    recall: (owner, id) => kept.get(place(owner, id))?.remembered ?? null,
    remember(owner, id, remembered) {
      const characters = JSON.stringify(remembered).length;
      const key = place(owner, id);
      drop(key);
      kept.set(key, { remembered, characters });
      total += characters;
      for (const oldest of kept.keys()) {
        if (total <= maxCharacters) break;
        drop(oldest);
      }
    },
    forget: (owner, id) => drop(place(owner, id)),
  };
}
