/** Version of the web API: a new operation or field raises the second number. */
export const API_VERSION = "1.11.0";
