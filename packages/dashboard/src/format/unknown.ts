/** Shown for everything that is not known: while it loads, after an error, or because nobody can know it. Never a 0. */
export const UNKNOWN = "–";
