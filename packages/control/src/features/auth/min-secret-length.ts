/** Of the secret that signs sessions. The sign-in library replaces an empty one by a default that anybody can look up. */
export const MIN_SECRET_LENGTH = 16;
