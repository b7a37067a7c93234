// Imported, not read by path, so that it is part of the built binary.
import bundlePath from "../dist/dashboard.bundle" with { type: "file" };

interface Asset {
  readonly type: string;
  readonly isImmutable: boolean;
  readonly gzip: Uint8Array<ArrayBuffer>;
  readonly brotli: Uint8Array<ArrayBuffer>;
}

interface Bundle {
  readonly assets: ReadonlyMap<string, Asset>;
  /** First segments of the paths that the page's router knows. */
  readonly routes: ReadonlySet<string>;
}

interface StoredBundle {
  readonly assets: Record<string, { type: string; isImmutable: boolean; gzip: string; brotli: string }>;
  readonly routes: string[];
}

const INDEX = "/index.html";
/** Browsers request this for pages without an icon. */
const aliases: Readonly<Record<string, string>> = { "/favicon.ico": "/dashboard/icon.svg" };

/** null: not one of its paths. The page itself holds no data: it calls the web API with the viewer's session. */
export async function serveDashboard(request: Request): Promise<Response | null> {
  if (request.method !== "GET" && request.method !== "HEAD") return null;
  const { pathname } = new URL(request.url);
  const { assets, routes } = await bundle();
  const asset = assets.get(aliases[pathname] ?? pathname);
  if (asset && pathname !== INDEX) return answer(request, asset, 200);
  const page = assets.get(INDEX);
  if (!page) throw new Error("the dashboard's bundle has no page");
  if (routes.has(firstSegment(pathname))) return answer(request, page, 200);
  // A person who mistyped a path sees the page, which says so; a program gets the API's answer.
  const wantsPage = request.headers.get("accept")?.includes("text/html") ?? false;
  return wantsPage && !pathname.startsWith("/dashboard/") ? answer(request, page, 404) : null;
}

const firstSegment = (pathname: string) => pathname.split("/")[1] ?? "";

function answer(request: Request, asset: Asset, status: number): Response {
  const accepted = request.headers.get("accept-encoding") ?? "";
  const encoding = /\bbr\b/.test(accepted) ? "br" : /\bgzip\b/.test(accepted) ? "gzip" : null;
  const body =
    encoding === "br" ? asset.brotli : encoding === "gzip" ? asset.gzip : Bun.gunzipSync(asset.gzip);
  return new Response(body, {
    status,
    headers: {
      "content-type": asset.type,
      "cache-control": asset.isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
      vary: "accept-encoding",
      ...(encoding === null ? {} : { "content-encoding": encoding }),
    },
  });
}

let loaded: Promise<Bundle> | undefined;
function bundle(): Promise<Bundle> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<Bundle> {
  const text = await Bun.file(bundlePath).text();
  // Written by scripts/build-dashboard.ts: a line with the hash of the sources, then this.
  const stored = JSON.parse(text.slice(text.indexOf("\n"))) as StoredBundle;
  const bytes = (base64: string) => new Uint8Array(Buffer.from(base64, "base64"));
  const assets = Object.entries(stored.assets).map(
    ([path, { type, isImmutable, gzip, brotli }]) =>
      [path, { type, isImmutable, gzip: bytes(gzip), brotli: bytes(brotli) }] as const,
  );
  return { assets: new Map(assets), routes: new Set(stored.routes) };
}
