import formScript from "./form.js" with { type: "file" };
import pageStyle from "./page.css" with { type: "file" };
import { assetResponse } from "./page-response.ts";

const asset = (path: string, type: string) => async () => assetResponse(Bun.file(path), type);

/** The assets of the identity pages, which do not depend on the dashboard. */
export const pageAssets = {
  "GET /sign-in/form.js": asset(formScript, "text/javascript; charset=utf-8"),
  "GET /sign-in/page.css": asset(pageStyle, "text/css; charset=utf-8"),
};
