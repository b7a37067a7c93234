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
  /** Back to where the buyer came from, without having bought; null: from nowhere. */
  readonly cancelUrl: string | null;
  readonly expiresAt: string;
}

/** What is bought for whom, and what to do next. Whoever has the link sees it. */
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
  return `<p>A verification answers whether another model keeps the quality of an agent, on its own traffic. One is used up
for each verdict; without a verdict, none is.</p>
<p>Ask ${contact(checkout.operatorContact)} for the number that you need, and send this line along:</p>
<pre><code>svc verification grant --checkout ${escapeHtml(id)} --count N</code></pre>
<dl>
<dt>For</dt><dd>${receiver}</dd>
<dt>Valid until</dt><dd>${escapeHtml(checkout.expiresAt.slice(0, 10))}</dd>
</dl>`;
}

function contact(address: string | null): string {
  if (address === null) return "whoever runs this installation of Tollgate";
  const href = /^https?:/.test(address) ? address : `mailto:${address}`;
  return `<a href="${escapeHtml(href)}">${escapeHtml(address)}</a>`;
}

function claimForm(id: string): string {
  return `<p>Whoever has the claim code decides which organization gets them. <a href="/sign-in">Sign in</a> first, then come
back to this page.</p>
<form data-post="/api/verify/claims" data-next="/checkout/${escapeHtml(id)}">
<label>Claim code <input name="claim_code" autocomplete="off" spellcheck="false" required></label>
<p role="alert"></p>
<button>Claim</button>
</form>`;
}

const verifications = (count: number) => (count === 1 ? "1 verification" : `${count} verifications`);

const inTest = ({ mode }: CheckoutPage) => (mode === "test" ? ", for test traffic" : "");
