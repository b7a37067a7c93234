import { escapeHtml } from "@tollgate/core/wire/escape-html";
import { page } from "./page.ts";

interface WelcomePage {
  readonly email: string;
  readonly hasPassword: boolean;
  /** A code, already validated. */
  readonly invitation: string | null;
}

export function welcomePage({ email, hasPassword, invitation }: WelcomePage): string {
  const who = `<p>You are signed in as <strong>${escapeHtml(email)}</strong>.</p>`;
  if (invitation !== null) {
    return page(
      "You are invited",
      `${who}
<form data-post="/api/account/invitations/${invitation}/accept" data-next="/">
<p role="alert"></p>
<button>Accept the invitation</button>
</form>`,
    );
  }
  const current = hasPassword
    ? `<label>Current password <input name="current_password" type="password" autocomplete="current-password" required></label>\n`
    : "";
  return page(
    "Choose a password",
    `${who}
<form data-post="/api/account/password" data-next="/">
<input type="hidden" autocomplete="username" value="${escapeHtml(email)}">
${current}<label>New password <input name="password" type="password" autocomplete="new-password" minlength="8" maxlength="128" required autofocus></label>
<p role="alert"></p>
<button>Save</button>
</form>
<p><a href="/">Later</a></p>`,
  );
}
