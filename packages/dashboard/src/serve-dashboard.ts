// Imported, not read by path, so that they are part of the built binary.
import amounts from "./amounts.js" with { type: "file" };
import choices from "./choices.js" with { type: "file" };
import draw from "./draw.js" with { type: "file" };
import fillTable from "./fill-table.js" with { type: "file" };
import icon from "./icon.svg" with { type: "file" };
import live from "./live.js" with { type: "file" };
import overviewStyle from "./overview.css" with { type: "file" };
import overviewPage from "./overview.html" with { type: "file" };
import overview from "./overview.js" with { type: "file" };
import planPage from "./plan.html" with { type: "file" };

const types = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
} as const;

const files: Readonly<Record<string, { readonly path: string; readonly type: string }>> = {
  "/": { path: overviewPage, type: types.html },
  "/settings/plan": { path: planPage, type: types.html },
  "/dashboard/overview.css": { path: overviewStyle, type: types.css },
  "/dashboard/icon.svg": { path: icon, type: types.svg },
  // Browsers request this for pages without an icon.
  "/favicon.ico": { path: icon, type: types.svg },
  "/dashboard/amounts.js": { path: amounts, type: types.js },
  "/dashboard/fill-table.js": { path: fillTable, type: types.js },
  "/dashboard/choices.js": { path: choices, type: types.js },
  "/dashboard/draw.js": { path: draw, type: types.js },
  "/dashboard/live.js": { path: live, type: types.js },
  "/dashboard/overview.js": { path: overview, type: types.js },
};

/** null: not one of its paths. The page itself holds no data: it calls the web API with the viewer's session. */
export async function serveDashboard(request: Request): Promise<Response | null> {
  if (request.method !== "GET" && request.method !== "HEAD") return null;
  const file = files[new URL(request.url).pathname];
  if (!file) return null;
  return new Response(Bun.file(file.path), {
    headers: { "content-type": file.type, "cache-control": "no-cache" },
  });
}
