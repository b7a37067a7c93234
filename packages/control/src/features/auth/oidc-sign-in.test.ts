import { expect, it } from "bun:test";
import { OidcSignIn } from "./oidc-sign-in.ts";

const NO_PROVIDER = "/sign-in?error=provider_unavailable";

it.each([
  ["http://127.0.0.1:4000", "http://localhost:4000", "http://localhost:4000/sign-in/oidc"],
  ["http://[::1]:4000", "http://localhost:4000", "http://localhost:4000/sign-in/oidc"],
  ["http://127.0.0.2:4000", "http://127.0.0.1:4000", "http://127.0.0.1:4000/sign-in/oidc"],
  ["http://localhost:4000", "http://localhost:4000", NO_PROVIDER],
  ["http://localhost:4000", "https://tollgate.example", NO_PROVIDER],
  ["http://127.evil.example", "http://localhost:4000", NO_PROVIDER],
])(
  "on this machine, %s continues at the public name %s, which gets the cookie",
  async (here, home, location) => {
    const signIn = new OidcSignIn(
      () => Promise.reject(new Error("no provider")),
      home,
      () => {},
    );
    const answer = await signIn.start(new Request(`${here}/sign-in/oidc`), null);
    expect(answer.headers.get("location")).toBe(location);
  },
);
