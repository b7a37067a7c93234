import type { ChunkPart } from "./read-chunk.ts";

type Call = Extract<ChunkPart, { kind: "call" }>;

/**
 * Gives every call of one answer an id. Google often sends none, yet clients answer by id, and find the function's
 * name by it in later turns: so it is made of the answer's own id, unique in this answer and among answers.
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
  // 40 characters is the most that some clients store.
  const origin = responseId?.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 28) ?? fingerprint(call);
  return `call_${origin}_${index}`;
}

/** Without an answer's id: equal calls may share a name by this, different ones do not. */
function fingerprint(call: Call): string {
  return Bun.hash(`${call.name}\n${call.arguments}`).toString(36);
}
