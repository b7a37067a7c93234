import swaggerStyle from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import swaggerScript from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };

/** The page for trying out the API. Everything is served from here: no third-party site, no inline script. */
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tollgate API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="api"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const start = `SwaggerUIBundle({ url: "/api/openapi.json", dom_id: "#api", validatorUrl: null, deepLinking: true });
`;

const libraryFiles: ReadonlyMap<string, { readonly path: string; readonly type: string }> = new Map([
  ["/docs/swagger-ui.css", { path: swaggerStyle, type: "text/css; charset=utf-8" }],
  ["/docs/swagger-ui-bundle.js", { path: swaggerScript, type: "text/javascript; charset=utf-8" }],
]);

/** Answers below `/docs`; null: no such page. */
export function docsPage(path: string): Response | null {
  if (path === "/docs") return typed(page, "text/html; charset=utf-8");
  if (path === "/docs/start.js") return typed(start, "text/javascript; charset=utf-8");
  const file = libraryFiles.get(path);
  if (file === undefined) return null;
  return new Response(Bun.file(file.path), {
    headers: { "content-type": file.type, "cache-control": "public, max-age=86400" },
  });
}

function typed(text: string, type: string): Response {
  return new Response(text, { headers: { "content-type": type } });
}
