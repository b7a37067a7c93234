/**
 * Bundles the dashboard into one file, which the control plane serves and the binary contains: its page, scripts and
 * stylesheet, each compressed. `setup.mjs` runs this whenever a source has changed.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { AnyOperation } from "@tollgate/core/contract/operation";
import { operations } from "@tollgate/core/contract/operations";
import { type BunPlugin, Glob } from "bun";
import { bundlePath, hashDashboardSources, isDashboardBuilt } from "./dashboard-sources.mjs";

const root = join(import.meta.dir, "..");
const source = join(root, "packages/dashboard/src");
/** Compressed, of everything that the first view loads. */
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
  /** Chunks are named after the entry point that they were split from. */
  readonly isEntry: boolean;
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
    define: { "process.env.NODE_ENV": '"production"' },
    naming: { entry: "[name]-[hash].[ext]", chunk: "[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" },
    publicPath: "/dashboard/",
    plugins: [withoutSchemas],
  });
  if (!built.success) throw new Error(built.logs.join("\n"));
  const files = new Map<string, BundledFile>();
  for (const output of built.outputs) {
    const content = new Uint8Array(await output.arrayBuffer());
    files.set(`/dashboard/${basename(output.path)}`, {
      type: output.type,
      content,
      isEntry: output.kind === "entry-point" || output.type.startsWith("text/css"),
    });
  }
  return files;
}

/** Of the paths in the route files of the pages: the server answers these with the page. */
function firstSegments(): string[] {
  const files = [...new Glob("pages/**/*route.ts").scanSync({ cwd: source })].sort();
  const segments = files.flatMap(path => {
    const text = readFileSync(join(source, path), "utf8");
    return [...text.matchAll(/\bpath: "\/([^/"]*)/g)].map(([, segment = ""]) => segment);
  });
  return [...new Set(segments)];
}

const compress = (content: Uint8Array) => ({
  gzip: gzipSync(content, { level: 9 }).toString("base64"),
  brotli: brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }).toString("base64"),
});

export async function buildDashboard(): Promise<void> {
  if (isDashboardBuilt()) return;
  const hash = hashDashboardSources();
  const files = await bundle();
  const named = (pattern: RegExp) => {
    const found = [...files].filter(([path, { isEntry }]) => isEntry && pattern.test(path));
    if (found.length !== 1) throw new Error(`${found.length} entry points are named ${pattern}`);
    return found[0]?.[0] ?? "";
  };
  const script = named(/^\/dashboard\/main-\w+\.js$/);
  const styles = named(/^\/dashboard\/all-\w+\.css$/);
  const first = [script, ...importsOf(script, files)];
  const page = readFileSync(join(source, "index.html"), "utf8")
    .replace("{{styles}}", styles)
    .replace("{{script}}", script)
    .replace(
      "{{preload}}",
      first
        .slice(1)
        .map(path => `<link rel="modulepreload" href="${path}">`)
        .join("\n"),
    );
  const assets: Record<string, Asset> = {};
  for (const [path, { type, content }] of files) {
    assets[path] = { type, isImmutable: true, ...compress(content) };
  }
  const own = (path: string, type: string, text: string) => {
    assets[path] = { type, isImmutable: false, ...compress(new TextEncoder().encode(text)) };
  };
  own(
    "/dashboard/theme.js",
    "text/javascript; charset=utf-8",
    readFileSync(join(source, "theme.js"), "utf8"),
  );
  own("/dashboard/icon.svg", "image/svg+xml", readFileSync(join(source, "icon.svg"), "utf8"));
  own("/index.html", "text/html; charset=utf-8", page);

  const size = (path: string) => Buffer.from(assets[path]?.gzip ?? "", "base64").length;
  const firstLoad = [styles, "/index.html", "/dashboard/theme.js", ...first].reduce(
    (sum, path) => sum + size(path),
    0,
  );
  console.error(`dashboard: first load ${Math.round(firstLoad / 1000)} KB, ${files.size} files`);
  if (firstLoad > MAX_FIRST_LOAD_BYTES) {
    throw new Error(`the dashboard's first load is ${firstLoad} bytes, more than ${MAX_FIRST_LOAD_BYTES}`);
  }
  mkdirSync(dirname(bundlePath), { recursive: true });
  const written = `${bundlePath}.${process.pid}`;
  writeFileSync(written, `${hash}\n${JSON.stringify({ assets, routes: firstSegments() })}`);
  renameSync(written, bundlePath);
}

/** Static imports, of any depth. */
function importsOf(path: string, files: ReadonlyMap<string, { readonly content: Uint8Array }>): string[] {
  const found = new Set<string>();
  const follow = (from: string) => {
    const text = new TextDecoder().decode(files.get(from)?.content);
    for (const [, name = ""] of text.matchAll(/(?:from|import)\s*"(?:\.|\/dashboard)\/([\w-]+\.js)"/g)) {
      const imported = `/dashboard/${name}`;
      if (imported === path || found.has(imported)) continue;
      found.add(imported);
      follow(imported);
    }
  };
  follow(path);
  return [...found];
}

if (import.meta.main) await buildDashboard();
