const files: Readonly<Record<string, { readonly name: string; readonly type: string }>> = {
  "/": { name: "overview.html", type: "text/html; charset=utf-8" },
  "/settings/plan": { name: "plan.html", type: "text/html; charset=utf-8" },
  "/dashboard/overview.css": { name: "overview.css", type: "text/css; charset=utf-8" },
  "/dashboard/icon.svg": { name: "icon.svg", type: "image/svg+xml" },
  // Pages that name no icon are asked for this one.
  "/favicon.ico": { name: "icon.svg", type: "image/svg+xml" },
  "/dashboard/amounts.js": { name: "amounts.js", type: "text/javascript; charset=utf-8" },
  "/dashboard/fill-table.js": { name: "fill-table.js", type: "text/javascript; charset=utf-8" },
  "/dashboard/choices.js": { name: "choices.js", type: "text/javascript; charset=utf-8" },
  "/dashboard/draw.js": { name: "draw.js", type: "text/javascript; charset=utf-8" },
  "/dashboard/live.js": { name: "live.js", type: "text/javascript; charset=utf-8" },
  "/dashboard/overview.js": { name: "overview.js", type: "text/javascript; charset=utf-8" },
};

/** null: not one of its addresses. The page itself holds no data: it asks the web API with the viewer's session. */
export async function serveDashboard(request: Request): Promise<Response | null> {
  if (request.method !== "GET" && request.method !== "HEAD") return null;
  const file = files[new URL(request.url).pathname];
  if (!file) return null;
  return new Response(Bun.file(`${import.meta.dir}/${file.name}`), {
    headers: { "content-type": file.type, "cache-control": "no-cache" },
  });
}
