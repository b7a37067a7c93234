/**
 * Anthropic accepts ids of `[A-Za-z0-9_-]`, unique within the conversation. Other models' ids may contain dots and
 * colons or repeat in a later turn, and a conversation may move from them to Claude.
 */
export class ToolIds {
  readonly #used = new Set<string>();
  readonly #latest = new Map<string, string>();

  ofCall(id: string): string {
    const base = id.replace(/[^\w-]/g, "_") || "call";
    let safe = base;
    for (let n = 2; this.#used.has(safe); n++) safe = `${base}_${n}`;
    this.#used.add(safe);
    this.#latest.set(id, safe);
    return safe;
  }

  /** A result belongs to the latest call with that id. */
  ofResult(id: string): string {
    return this.#latest.get(id) ?? id;
  }
}
