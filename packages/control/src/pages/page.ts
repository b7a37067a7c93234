import { escapeHtml } from "@tollgate/core/wire/escape-html";

/** The layout of the sign-in pages. `body` is our HTML; user text goes through `escapeHtml`. */
export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Tollgate</title>
<link rel="stylesheet" href="/sign-in/page.css">
<script src="/sign-in/form.js" defer></script>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`;
}
