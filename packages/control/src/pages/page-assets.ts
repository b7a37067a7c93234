import { join } from "node:path";
import { assetResponse } from "./page-response.ts";

const asset = (name: string, type: string) => async () =>
  assetResponse(Bun.file(join(import.meta.dir, name)), type);

/** What the pages of identity load; they stand before the dashboard, and need nothing of it. */
export const pageAssets = {
  "GET /sign-in/form.js": asset("form.js", "text/javascript; charset=utf-8"),
  "GET /sign-in/page.css": asset("page.css", "text/css; charset=utf-8"),
};
