export interface StdioConfig {
  readonly apiKey: string;
  /** Address of the operations, without a trailing slash. */
  readonly apiUrl: string;
}

const DEFAULT_API_URL = "http://127.0.0.1:3000/api";

/** The settings, or a sentence about what is wrong with them, which never quotes a key. */
export function readStdioConfig(env: Readonly<Record<string, string | undefined>>): StdioConfig | string {
  const apiKey = env.SVC_API_KEY?.trim() ?? "";
  if (apiKey === "") {
    return "SVC_API_KEY is not set. Set it to an API key of your organization (sk_live_… or sk_test_…) in the env of this server's configuration.";
  }
  if (!/^sk_(live|test)_[\x21-\x7e]+$/.test(apiKey)) {
    return "SVC_API_KEY has the wrong form: a key begins with sk_live_ or sk_test_ and has no spaces.";
  }
  const text = env.SVC_API_URL?.trim() || DEFAULT_API_URL;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return `SVC_API_URL has the wrong form: an address such as ${DEFAULT_API_URL} is expected.`;
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    return "SVC_API_URL must be a plain address: no user, no query, no fragment.";
  }
  // People often copy the web API's base address without `/api`.
  const path = url.pathname === "/" ? "/api" : url.pathname.replace(/\/+$/, "");
  return { apiKey, apiUrl: url.origin + path };
}
