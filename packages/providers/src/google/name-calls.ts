import type { ChunkPart } from "./read-chunk.ts";

type Call = Extract<ChunkPart, { kind: "call" }>;

/**
 * Gives every call of one answer an id. Google often sends none, but clients return results by id, and we find the
 * function's name by it in later turns. So it is derived from the answer's id, unique within and across answers.
 */
export function nameCalls(): (call: Call, responseId: string | null) => string {
  const taken = new Set<string>();
  let count = 0;
  return (call, responseId) => {
    const index = count++;
    let id = call.id !== null && !taken.has(call.id) ? call.id : mint(call, responseId, index);
    while (taken.has(id)) id = `${id}_`;
    taken.add(id);
    return id;
  };
}

function mint(call: Call, responseId: string | null, index: number): string {
  // Some clients store at most 40 characters.
  const origin = responseId?.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 28) ?? fingerprint(call);
  return `call_${origin}_${index}`;
}

/** For answers without an id: equal calls may share a name, different ones do not. */
function fingerprint(call: Call): string {
  return Bun.hash(`${call.name}\n${call.arguments}`).toString(36);
}
