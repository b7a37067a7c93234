/** Each opens every view once, in a browser without a cache. */
export const rounds = 20;
