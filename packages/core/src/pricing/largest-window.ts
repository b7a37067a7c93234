/** Assumed context window if a model's own is unknown. */
export const LARGEST_WINDOW = 2_000_000;
