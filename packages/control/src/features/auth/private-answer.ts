/** A response about a session: it is never cached, and the next page gets no referrer. */
export function privately(answer: Response, setCookies: readonly string[] = []): Response {
  const response = new Response(answer.body, answer);
  response.headers.set("cache-control", "no-store");
  response.headers.set("referrer-policy", "no-referrer");
  response.headers.delete("set-cookie");
  for (const cookie of setCookies) response.headers.append("set-cookie", cookie);
  return response;
}

export function goTo(place: string): Response {
  return privately(new Response(null, { status: 302, headers: { location: place } }));
}

/** Stays on the host name the browser used: the cookie belongs to that name. */
export function relativeRedirect(answer: Response, publicUrl: string): Response {
  const location = answer.headers.get("location");
  if (location === null) return goTo("/sign-in?error=failed");
  const url = new URL(location, publicUrl);
  return goTo(url.origin === new URL(publicUrl).origin ? `${url.pathname}${url.search}` : location);
}
