/**
 * `npm run build [-- <file>]`: everything in one executable, which needs neither Node nor node_modules: both planes,
 * the commands, the dashboard, prices, the tool server, and the runtime.
 */
import { mkdir, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { Glob } from "bun";
import { buildDashboard } from "./build-dashboard.ts";

const root = join(import.meta.dir, "..");
const target = resolve(process.argv[2] ?? join(root, "dist/tollgate"));

/** The bundler does not follow `new Worker(new URL("./x.ts", import.meta.url))`, so each thread is an entry point. */
async function findThreads(): Promise<string[]> {
  const threads: string[] = [];
  for await (const path of new Glob("packages/*/src/**/*.ts").scan({ cwd: root, absolute: true })) {
    const source = await Bun.file(path).text();
    const started = source.match(/new Worker\(/g) ?? [];
    const found = [...source.matchAll(/new Worker\(new URL\("([^"]+)", import\.meta\.url\)/g)];
    if (found.length < started.length)
      throw new Error(`${path}: start threads with new URL("./x.ts", import.meta.url)`);
    threads.push(...found.map(([, thread = ""]) => resolve(dirname(path), thread)));
  }
  const names = threads.map(path => basename(path));
  if (new Set(names).size < names.length)
    throw new Error(`thread files need unique names: ${names.join(", ")}`);
  return threads;
}

await buildDashboard();
await mkdir(dirname(target), { recursive: true });
const built = await Bun.build({
  entrypoints: [join(root, "packages/cli/src/main.ts"), ...(await findThreads())],
  // All in one folder: inside the binary, every module's `import.meta.url` points to it.
  naming: { entry: "[name].[ext]" },
  target: "bun",
  // Parsed and compiled at build time: a process starts four times as fast.
  bytecode: true,
  // A plane or command loads only its own code.
  splitting: true,
  format: "esm",
  // So that stack traces in the log refer to our source.
  sourcemap: "inline",
  // Files in the working directory must not change the program's behaviour.
  compile: {
    outfile: target,
    autoloadDotenv: false,
    autoloadBunfig: false,
    autoloadTsconfig: false,
    autoloadPackageJson: false,
  },
});
if (!built.success) throw new Error(built.logs.join("\n"));
// The maps are in the binary; these are copies.
for (const { kind, path } of built.outputs) if (kind === "sourcemap") await rm(path);
console.log(target);
