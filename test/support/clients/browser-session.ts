/** A browser's part in a sign-in, without its pages: cookies by origin, redirects one at a time. */
export class Browser {
  readonly #jars = new Map<string, Map<string, string>>();

  cookies(origin: string): Map<string, string> {
    const jar = this.#jars.get(origin) ?? new Map<string, string>();
    this.#jars.set(origin, jar);
    return jar;
  }

  /** One request without following redirects. From a page of the same origin, unless `init` says otherwise. */
  async send(url: string, init: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(url);
    const jar = this.cookies(origin);
    const headers = new Headers(init.headers);
    if (jar.size > 0) headers.set("cookie", [...jar].map(([name, value]) => `${name}=${value}`).join("; "));
    const isWrite = init.method !== undefined && init.method !== "GET";
    if (isWrite && !headers.has("origin")) headers.set("origin", origin);
    const answer = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const cookie of answer.headers.getSetCookie()) keep(jar, cookie);
    return answer;
  }

  async post(url: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Response> {
    return await this.send(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  }

  /** Follows redirects until `isThere` returns true, or until there is none. */
  async follow(url: string, isThere: (url: string) => boolean = () => false): Promise<[string, Response]> {
    let place = url;
    for (let hop = 0; hop < 20; hop++) {
      const answer = await this.send(place);
      const location = answer.headers.get("location");
      if (location === null) return [place, answer];
      place = new URL(location, place).href;
      if (isThere(place)) return [place, answer];
    }
    throw new Error("redirected in a circle");
  }
}

function keep(jar: Map<string, string>, cookie: string): void {
  const [pair = "", ...attributes] = cookie.split(";");
  const name = pair.slice(0, pair.indexOf("=")).trim();
  const isOver = attributes.some(
    text =>
      /^\s*max-age=0\s*$/i.test(text) ||
      (/^\s*expires=/i.test(text) && Date.parse(text.split("=")[1] ?? "") < Date.now()),
  );
  if (isOver) jar.delete(name);
  else jar.set(name, pair.slice(pair.indexOf("=") + 1));
}
