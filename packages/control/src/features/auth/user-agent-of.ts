/** Headers to start a session with: better-auth stores the user agent, by which a person recognizes their browser. */
export function userAgentOf(request: Request): Headers {
  const agent = request.headers.get("user-agent");
  return new Headers(agent === null ? {} : { "user-agent": agent });
}
