/** Anthropic's error types. Its clients choose their exception by the status, and show the type. */
const typeByStatus: ReadonlyMap<number, string> = new Map([
  [400, "invalid_request_error"],
  [401, "authentication_error"],
  [402, "billing_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [409, "conflict_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [500, "api_error"],
  [503, "overloaded_error"],
  [504, "timeout_error"],
  [529, "overloaded_error"],
]);

/** 529 comes after 503 above, so that `overloaded_error` inside a stream maps to the status that Anthropic uses. */
const statusByType: ReadonlyMap<string, number> = new Map(
  [...typeByStatus].map(([status, type]) => [type, status]),
);

export function errorTypeOf(status: number): string {
  return typeByStatus.get(status) ?? (status >= 400 && status < 500 ? "invalid_request_error" : "api_error");
}

export function isErrorType(type: string): boolean {
  return statusByType.has(type);
}

/** An error inside a stream has no status of its own: the response had already started with 200. */
export function errorStatusOf(type: string): number {
  return statusByType.get(type) ?? 500;
}
