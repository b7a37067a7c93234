import { escapeHtml } from "@tollgate/core/wire/escape-html";
import { page } from "./page.ts";

/** `code` is already validated. `open` is null if the invitation can no longer be accepted. */
export function invitationPage(
  code: string,
  open: { readonly email: string; readonly organizationName: string } | null,
): string {
  if (open === null) {
    return page(
      "Invitation",
      `<p role="alert">This invitation has been used or revoked, or has expired. Ask for a new one.</p>
<p><a href="/sign-in">Sign in</a></p>`,
    );
  }
  const email = escapeHtml(open.email);
  return page(
    "You are invited",
    `<p>Join <strong>${escapeHtml(open.organizationName)}</strong> as <strong>${email}</strong>.</p>
<form data-post="/api/auth/invitations/accept" data-next="/">
<input type="hidden" name="invitation" value="${code}">
<input type="hidden" autocomplete="username" value="${email}">
<label>Password <input name="password" type="password" autocomplete="new-password" minlength="8" maxlength="128" required autofocus></label>
<p>Choose one, or enter yours if you have an account with this address already.</p>
<p role="alert"></p>
<button>Accept the invitation</button>
</form>`,
  );
}
