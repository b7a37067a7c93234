import { escapeHtml } from "@tollgate/core/wire/escape-html";
import type { AlertContent } from "./alert-content.ts";

/**
 * Styles are inline because many mail clients drop everything else. Where they do not, the one media query turns the
 * page dark; every text with a colour also sets its background.
 */
const dark = `@media (prefers-color-scheme: dark) {
  .page { background: #0c0a09 !important; }
  .card { background: #1c1917 !important; border-top-color: #44403c !important; border-right-color: #44403c !important; border-bottom-color: #44403c !important; }
  .text { color: #f5f5f4 !important; }
  .soft { color: #a8a29e !important; }
  .line { border-color: #44403c !important; }
  .link { background: #f5f5f4 !important; color: #1c1917 !important; }
}`;

const accents = { info: "#0284c7", warning: "#d97706", critical: "#dc2626" } as const;
const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

export function mailHtml({ title, severity, sentence, facts, link }: AlertContent): string {
  const rows = facts.map(
    ({ label, value }) => `<tr>
<td class="soft line" style="padding:8px 16px 8px 0;border-top:1px solid #e7e5e4;color:#57534e;white-space:nowrap;vertical-align:top">${escapeHtml(label)}</td>
<td class="text line" style="padding:8px 0;border-top:1px solid #e7e5e4;color:#1c1917;overflow-wrap:anywhere">${escapeHtml(value)}</td>
</tr>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${dark}</style>
</head>
<body class="page" style="margin:0;padding:24px 12px;background:#f5f5f4;${font};font-size:15px;line-height:1.5">
<div class="card" style="max-width:560px;margin:0 auto;padding:24px;background:#ffffff;border:1px solid #e7e5e4;border-left:4px solid ${accents[severity]};border-radius:6px">
<h1 class="text" style="margin:0 0 12px;font-size:18px;line-height:1.3;color:#1c1917">${escapeHtml(title)}</h1>
<p class="text" style="margin:0 0 16px;color:#1c1917;overflow-wrap:anywhere">${escapeHtml(sentence)}</p>
<table role="presentation" style="width:100%;margin:0 0 20px;border-collapse:collapse;font-size:14px">
${rows.join("\n")}
</table>
<a class="link" href="${escapeHtml(link)}" style="display:inline-block;padding:9px 16px;border-radius:5px;background:#1c1917;color:#ffffff;text-decoration:none;font-size:14px">Open the dashboard</a>
</div>
<p class="soft" style="max-width:560px;margin:12px auto 0;font-size:12px;color:#57534e">Sent by Tollgate according to your alert preferences.</p>
</body>
</html>
`;
}
