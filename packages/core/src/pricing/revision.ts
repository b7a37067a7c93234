/** A date, a number of three or four digits (`-001`, `-0709`), `v1`. Shorter numbers name another model: `claude-opus-4-1`. */
const VERSION = String.raw`[-@](?:20\d\d-?\d\d-?\d\d|\d{2}-(?:\d{2}|20\d\d)|\d{3,4}|v\d+(?::\d+)?)`;

/** What a provider appends to a model's name for one version of it. */
export const versionAtEnd = new RegExp(`${VERSION}$`);

/** Providers release and serve these at one price. */
const stages = ["latest", "preview", "exp", "experimental", "beta"];

/**
 * Whether `name` is that of the model whose name begins with `beginning`, or of a revision of it. Any other word (`-lite`,
 * `-image`, `-mini`) makes it another model, with a price of its own. `modeWords`: further words that do not.
 */
export function isRevisionOf(name: string, beginning: string, modeWords: readonly string[] = []): boolean {
  const own = withoutTenant(name);
  if (!own.startsWith(beginning)) return false;
  if (own.length === beginning.length) return true;
  // `gpt-5-nano-` and `gemini-2.0-flash-0` end within a word, which counts as a whole.
  const isWordAhead = /[-@]/.test(own.charAt(beginning.length));
  const end = isWordAhead
    ? beginning.length
    : Math.max(beginning.lastIndexOf("-"), beginning.lastIndexOf("@"));
  return end >= 0 && revisions(modeWords).test(own.slice(end));
}

const compiled = new Map<string, RegExp>();

function revisions(modeWords: readonly string[]): RegExp {
  const words = [...stages, ...modeWords].join("|");
  let pattern = compiled.get(words);
  if (!pattern) {
    pattern = new RegExp(`^(?:${VERSION}|-(?:${words}))+$`);
    compiled.set(words, pattern);
  }
  return pattern;
}

/** Of a fine-tuned model, the part that its owner has chosen: `ft:gpt-4o-2024-08-06:acme::id`, `gpt-4o….ft-id`. */
function withoutTenant(name: string): string {
  return name.replace(/(?<=^ft:[^:]+):.*$|(?<=\.ft-).*$/, "");
}
