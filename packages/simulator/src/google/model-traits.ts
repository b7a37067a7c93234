/** 2.5, 3, 3.1…; 0 where the name does not tell (aliases, open models). */
export function geminiVersion(model: string): number {
  return Number(/^gemini-(\d+(?:\.\d+)?)/.exec(model)?.[1] ?? 0);
}

/** A call of theirs comes with a signature, and is refused later without it. */
export function signsCalls(model: string): boolean {
  return geminiVersion(model) >= 3;
}
