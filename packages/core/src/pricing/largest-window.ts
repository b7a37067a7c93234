/** The context window of a model of which it is not known. */
export const LARGEST_WINDOW = 2_000_000;
