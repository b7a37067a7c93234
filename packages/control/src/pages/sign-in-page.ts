import { page } from "./page.ts";

interface SignInPage {
  readonly external: boolean;
  /** The error code of a failed attempt; unknown codes get a generic message. */
  readonly error: string | null;
  /** An invitation code, already validated. */
  readonly invitation: string | null;
}

/** HTML. */
const sentences: Readonly<Record<string, string>> = {
  INVALID_TOKEN:
    "This sign-in link has been used or has expired. The operator makes a new one with <code>svc user link EMAIL</code>.",
  provider_unavailable: "The identity provider is not responding. Try again in a moment.",
  access_denied: "The identity provider did not let you in.",
  account_not_linked:
    "An account with this e-mail address exists, and the identity provider does not vouch for the address.",
  email_not_found: "The identity provider did not send your e-mail address.",
};

export function signInPage({ external, error, invitation }: SignInPage): string {
  const sentence = error === null ? "" : (sentences[error] ?? "The sign-in failed. Try again.");
  const alert = `<p role="alert">${sentence}</p>`;
  if (external) {
    const way = invitation === null ? "/sign-in/oidc" : `/sign-in/oidc?invitation=${invitation}`;
    return page("Sign in", `${alert}\n<p><a class="button" href="${way}">Sign in</a></p>`);
  }
  const next = invitation === null ? "/" : `/welcome?invitation=${invitation}`;
  return page(
    "Sign in",
    `<form data-post="/api/auth/sign-in/email" data-next="${next}">
<label>E-mail <input name="email" type="email" autocomplete="username" required autofocus></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
${alert}
<button>Sign in</button>
</form>`,
  );
}
