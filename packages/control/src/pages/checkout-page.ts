import { escapeHtml } from "@tollgate/core/wire/escape-html";
import { page } from "./page.ts";

export interface CheckoutPage {
  readonly id: string;
  readonly provider: "operator" | "stripe";
  readonly mode: "live" | "test";
  /** null: nobody has claimed it yet. */
  readonly organizationName: string | null;
  /** null: not paid. */
  readonly paidCount: number | null;
  /** An e-mail address or a URL; null: not configured. */
  readonly operatorContact: string | null;
  /** Where to return without buying; null: nowhere. */
  readonly cancelUrl: string | null;
  readonly expiresAt: string;
}

/** What is bought, for whom, and what to do next. Anybody with the link can see it. */
export function checkoutPage(checkout: CheckoutPage): string {
  const { organizationName, paidCount } = checkout;
  if (paidCount !== null && organizationName !== null) {
    return page(
      "Thank you",
      `<p><strong>${verifications(paidCount)}</strong> ${paidCount === 1 ? "was" : "were"} added to the balance of <strong>${escapeHtml(organizationName)}</strong>${inTest(checkout)}.</p>
<p><a class="button" href="/">Go to the dashboard</a></p>`,
    );
  }
  const title = paidCount === null ? "Buy verifications" : "Claim your verifications";
  const parts = [
    paidCount === null ? toPay(checkout) : `<p>${verifications(paidCount)} paid.</p>`,
    organizationName === null ? claimForm(checkout.id) : "",
    paidCount === null && checkout.cancelUrl !== null
      ? `<p><a href="${escapeHtml(checkout.cancelUrl)}">Return without buying</a></p>`
      : "",
  ];
  return page(title, parts.filter(Boolean).join("\n"));
}

function toPay(checkout: CheckoutPage): string {
  if (checkout.provider === "stripe") {
    return `<p role="status">The payment is not confirmed yet. This page shows it as soon as it is; you may close it.</p>`;
  }
  const { id, organizationName } = checkout;
  const receiver =
    organizationName === null
      ? "an organization that is chosen later"
      : `<strong>${escapeHtml(organizationName)}</strong>${inTest(checkout)}`;
  return `<p>A verification tests on an agent's own traffic whether another model keeps its quality. Each verdict uses one;
without a verdict, none is used.</p>
<p>Ask ${contact(checkout.operatorContact)} for the number that you need, and include this line:</p>
<pre><code>svc verification grant --checkout ${escapeHtml(id)} --count N</code></pre>
<dl>
<dt>For</dt><dd>${receiver}</dd>
<dt>Valid until</dt><dd>${escapeHtml(checkout.expiresAt.slice(0, 10))}</dd>
</dl>`;
}

function contact(address: string | null): string {
  if (address === null) return "the operator of this installation";
  const href = /^https?:/.test(address) ? address : `mailto:${address}`;
  return `<a href="${escapeHtml(href)}">${escapeHtml(address)}</a>`;
}

function claimForm(id: string): string {
  return `<p>Enter the claim code to add them to your organization's balance. <a href="/sign-in">Sign in</a> first, then come
back to this page.</p>
<form data-post="/api/verify/claims" data-next="/checkout/${escapeHtml(id)}">
<label>Claim code <input name="claim_code" autocomplete="off" spellcheck="false" required></label>
<p role="alert"></p>
<button>Claim</button>
</form>`;
}

const verifications = (count: number) => (count === 1 ? "1 verification" : `${count} verifications`);

const inTest = ({ mode }: CheckoutPage) => (mode === "test" ? ", for test traffic" : "");
