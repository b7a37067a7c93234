// Imported, not read by path, so that it is part of the built binary.
import bundlePath from "../dist/dashboard.bundle" with { type: "file" };
import { chooseEncoding } from "./choose-encoding.ts";

interface Asset {
  readonly type: string;
  readonly isImmutable: boolean;
  readonly gzip: Uint8Array<ArrayBuffer>;
  readonly brotli: Uint8Array<ArrayBuffer>;
}

interface Page {
  /** Such as `["calls", "$callId"]`. */
  readonly segments: readonly string[];
  readonly asset: Asset;
}

interface Bundle {
  readonly assets: ReadonlyMap<string, Asset>;
  /** Of the paths that the page's router knows: the same page, each naming the scripts of its path. */
  readonly pages: readonly Page[];
  /** For all other paths. */
  readonly otherPage: Asset;
}

type StoredAsset = Pick<Asset, "type" | "isImmutable"> & { readonly gzip: string; readonly brotli: string };

interface StoredBundle {
  readonly assets: Readonly<Record<string, StoredAsset>>;
  readonly pages: readonly { readonly path: string; readonly page: StoredAsset }[];
  readonly otherPage: StoredAsset;
}

/** Browsers request this for pages without an icon. */
const aliases: Readonly<Record<string, string>> = { "/favicon.ico": "/dashboard/icon.svg" };

/** null: not one of its paths. The page itself holds no data: it calls the web API with the viewer's session. */
export async function serveDashboard(request: Request): Promise<Response | null> {
  if (request.method !== "GET" && request.method !== "HEAD") return null;
  const { pathname } = new URL(request.url);
  const { assets, pages, otherPage } = await bundle();
  const asset = assets.get(aliases[pathname] ?? pathname);
  if (asset) return answer(request, asset, 200);
  const segments = segmentsOf(pathname);
  const page = pages.find(one => matches(one, segments));
  if (page) return answer(request, page.asset, 200);
  if (pages.some(one => one.segments[0] === segments[0])) return answer(request, otherPage, 200);
  // A person who mistyped a path sees the page, which says so; a program gets the API's answer.
  const wantsPage = request.headers.get("accept")?.includes("text/html") ?? false;
  return wantsPage && segments[0] !== "dashboard" ? answer(request, otherPage, 404) : null;
}

const segmentsOf = (path: string) => path.split("/").filter(segment => segment !== "");

function matches({ segments }: Page, given: readonly string[]): boolean {
  return (
    segments.length === given.length &&
    segments.every((segment, index) => segment.startsWith("$") || segment === given[index])
  );
}

function answer(request: Request, asset: Asset, status: number): Response {
  const encoding = chooseEncoding(request.headers.get("accept-encoding"));
  if (encoding === null) return new Response(null, { status: 406, headers: { vary: "accept-encoding" } });
  const body =
    encoding === "br" ? asset.brotli : encoding === "gzip" ? asset.gzip : Bun.gunzipSync(asset.gzip);
  return new Response(body, {
    status,
    headers: {
      "content-type": asset.type,
      "cache-control": asset.isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
      vary: "accept-encoding",
      ...(encoding === "identity" ? {} : { "content-encoding": encoding }),
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
  const read = ({ type, isImmutable, gzip, brotli }: StoredAsset): Asset => ({
    type,
    isImmutable,
    gzip: bytes(gzip),
    brotli: bytes(brotli),
  });
  return {
    assets: new Map(Object.entries(stored.assets).map(([path, asset]) => [path, read(asset)])),
    pages: stored.pages.map(({ path, page }) => ({ segments: segmentsOf(path), asset: read(page) })),
    otherPage: read(stored.otherPage),
  };
}
