/**
 * Bundles the dashboard into one file, which the control plane serves and the binary contains: its page, scripts and
 * stylesheet, each compressed. `setup.mjs` runs this whenever a source has changed.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { AnyOperation } from "@tollgate/core/contract/operation";
import { operations } from "@tollgate/core/contract/operations";
import { type BunPlugin, Glob } from "bun";
import { readDashboardRoutes } from "./dashboard-routes.ts";
import { bundlePath, hashDashboardSources, isDashboardBuilt } from "./dashboard-sources.mjs";

const root = join(import.meta.dir, "..");
const source = join(root, "packages/dashboard/src");
/** Compressed, of everything that the first view, the overview, loads. */
const MAX_FIRST_LOAD_BYTES = 250_000;

interface Asset {
  readonly type: string;
  /** The name contains a hash of the content. */
  readonly isImmutable: boolean;
  readonly gzip: string;
  readonly brotli: string;
}

/**
 * The typed client looks up an operation's path, and which inputs go where. A browser needs no more of the contract:
 * the server validates, and the schemas would double the size of the scripts.
 */
function operationTable(): string {
  const fieldsOf = (part: AnyOperation["params"]) =>
    part && { shape: Object.fromEntries(Object.keys(part.shape).map(name => [name, 1])) };
  const table = Object.values(operations).map((operation: AnyOperation) => {
    const { id, method, path, status, produces, scope, role, minTier, isForPeople } = operation;
    const { params, query, body, output } = operation;
    const parts = {
      params: fieldsOf(params),
      query: fieldsOf(query),
      body: fieldsOf(body),
      output: output && 1,
    };
    return [id, { id, method, path, status, produces, scope, role, minTier, isForPeople, ...parts }];
  });
  return `export const operations = ${JSON.stringify(Object.fromEntries(table))};`;
}

const withoutSchemas: BunPlugin = {
  name: "without-schemas",
  setup(build) {
    build.onLoad({ filter: /core\/src\/contract\/operations\.ts$/ }, () => ({
      contents: operationTable(),
      loader: "js",
    }));
    build.onResolve({ filter: /^zod$/ }, ({ importer }) => {
      throw new Error(`${importer} brings schemas into the dashboard: import only types of the contract`);
    });
  },
};

/** Every stylesheet, from the general to the particular. */
function stylesheet(): string {
  const found = [...new Glob("**/*.css").scanSync({ cwd: source })].sort();
  const order = ["styles/", "parts/", "frame/", "pages/"];
  const sorted = order.flatMap(folder => found.filter(path => path.startsWith(folder)));
  if (sorted.length < found.length) throw new Error(`stylesheets belong into ${order.join(", ")}`);
  return sorted.map(path => readFileSync(join(source, path), "utf8")).join("\n");
}

interface BundledFile {
  readonly type: string;
  readonly content: Uint8Array;
  /** Of which it is made; null: of several, which others share. */
  readonly entryPoint: string | null;
  /** Paths of what it imports statically. */
  readonly imports: readonly string[];
}

async function bundle(): Promise<Map<string, BundledFile>> {
  const styles = join(dirname(bundlePath), "all.css");
  mkdirSync(dirname(styles), { recursive: true });
  writeFileSync(styles, stylesheet());
  const built = await Bun.build({
    entrypoints: [join(source, "app/main.tsx"), styles],
    target: "browser",
    format: "esm",
    splitting: true,
    minify: true,
    metafile: true,
    define: { "process.env.NODE_ENV": '"production"' },
    naming: { entry: "[name]-[hash].[ext]", chunk: "[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" },
    publicPath: "/dashboard/",
    plugins: [withoutSchemas],
  });
  if (!built.success) throw new Error(built.logs.join("\n"));
  const described = new Map(
    Object.entries(built.metafile?.outputs ?? {}).map(([path, output]) => [servedAt(path), output]),
  );
  const files = new Map<string, BundledFile>();
  for (const output of built.outputs) {
    const path = servedAt(output.path);
    const { entryPoint, imports = [] } = described.get(path) ?? {};
    files.set(path, {
      type: output.type,
      content: new Uint8Array(await output.arrayBuffer()),
      entryPoint: entryPoint === undefined ? null : resolve(entryPoint),
      imports: imports.flatMap(({ path, kind }) => (kind === "import-statement" ? [servedAt(path)] : [])),
    });
  }
  return files;
}

const servedAt = (path: string) => `/dashboard/${basename(path)}`;

const compress = (content: Uint8Array) => ({
  gzip: gzipSync(content, { level: 9 }).toString("base64"),
  brotli: brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }).toString("base64"),
});

export async function buildDashboard(): Promise<void> {
  if (isDashboardBuilt()) return;
  const hash = hashDashboardSources();
  const files = await bundle();
  const pathOf = (entryPoint: string) => {
    const found = [...files].find(([, file]) => file.entryPoint === entryPoint)?.[0];
    if (found === undefined) throw new Error(`the bundle has no ${entryPoint}`);
    return found;
  };
  const script = pathOf(join(source, "app/main.tsx"));
  const styles = pathOf(join(dirname(bundlePath), "all.css"));

  const assets: Record<string, Asset> = {};
  for (const [path, { type, content }] of files) {
    assets[path] = { type, isImmutable: true, ...compress(content) };
  }
  const own = (type: string, text: string): Asset => ({
    type,
    isImmutable: false,
    ...compress(new TextEncoder().encode(text)),
  });
  assets["/dashboard/theme.js"] = own(
    "text/javascript; charset=utf-8",
    readFileSync(join(source, "theme.js"), "utf8"),
  );
  assets["/dashboard/icon.svg"] = own("image/svg+xml", readFileSync(join(source, "icon.svg"), "utf8"));

  const size = (asset: Asset | undefined) => Buffer.from(asset?.gzip ?? "", "base64").length;
  const template = readFileSync(join(source, "index.html"), "utf8")
    .replace("{{styles}}", styles)
    .replace("{{script}}", script);
  /** The page names all scripts that it will need, so that none is found only once another has run. */
  const pageWith = (entryPoints: readonly string[]) => {
    const scripts = withImports([script, ...entryPoints.map(pathOf)], files);
    const preload = scripts.filter(path => path !== script);
    const links = preload.map(path => `<link rel="modulepreload" href="${path}">`).join("\n");
    const page = own("text/html; charset=utf-8", template.replace("{{preload}}", links));
    const loaded = [page, ...["/dashboard/theme.js", styles, ...scripts].map(path => assets[path])];
    return { page, bytes: loaded.reduce((sum, asset) => sum + size(asset), 0) };
  };
  const pages = readDashboardRoutes(source).map(({ path, components }) => ({
    path,
    ...pageWith(components),
  }));
  const firstLoad = pages.find(({ path }) => path === "/")?.bytes ?? Number.NaN;
  console.error(`dashboard: first load ${Math.round(firstLoad / 1000)} KB, ${files.size} files`);
  if (!(firstLoad <= MAX_FIRST_LOAD_BYTES)) {
    throw new Error(`the dashboard's first load is ${firstLoad} bytes, more than ${MAX_FIRST_LOAD_BYTES}`);
  }
  mkdirSync(dirname(bundlePath), { recursive: true });
  const written = `${bundlePath}.${process.pid}`;
  const stored = {
    assets,
    pages: pages.map(({ path, page }) => ({ path, page })),
    otherPage: pageWith([]).page,
  };
  writeFileSync(written, `${hash}\n${JSON.stringify(stored)}`);
  renameSync(written, bundlePath);
}

/** With static imports, of any depth. */
function withImports(paths: readonly string[], files: ReadonlyMap<string, BundledFile>): string[] {
  const found = new Set<string>();
  const follow = (path: string) => {
    if (found.has(path)) return;
    found.add(path);
    for (const imported of files.get(path)?.imports ?? []) follow(imported);
  };
  for (const path of paths) follow(path);
  return [...found];
}

if (import.meta.main) await buildDashboard();
