import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Glob } from "bun";

/** A path of the dashboard, such as `/calls/$callId`, and the sources of the components that it shows. */
export interface DashboardRoute {
  readonly path: string;
  readonly components: readonly string[];
}

interface Declared {
  readonly parent: string;
  /** null: it has no path of its own. */
  readonly path: string | null;
  readonly component: string | null;
}

const ROOT = "rootRoute";

/**
 * Of the route files of the pages, read as text: the router knows its components only as functions that load them. A
 * parent's components are shown around those of its children.
 */
export function readDashboardRoutes(source: string): DashboardRoute[] {
  const declared = readDeclared(source);
  const chainOf = (name: string): Declared[] => {
    if (name === ROOT) return [];
    const own = declared.get(name);
    if (own === undefined) throw new Error(`the route ${name} is not declared in a route file`);
    return [...chainOf(own.parent), own];
  };
  const components = new Map<string, Set<string>>();
  for (const name of declared.keys()) {
    const chain = chainOf(name);
    const segments = chain.flatMap(({ path }) => path?.split("/").filter(part => part !== "") ?? []);
    const path = `/${segments.join("/")}`;
    const shown = components.get(path) ?? new Set();
    for (const { component } of chain) if (component !== null) shown.add(component);
    components.set(path, shown);
  }
  // Fixed words before parameters: the first that matches is the right one.
  return [...components]
    .map(([path, shown]) => ({ path, components: [...shown] }))
    .sort((a, b) => Number(a.path.includes("$")) - Number(b.path.includes("$")));
}

function readDeclared(source: string): Map<string, Declared> {
  const declared = new Map<string, Declared>();
  for (const file of [...new Glob("pages/**/*route.ts").scanSync({ cwd: source })].sort()) {
    const text = readFileSync(join(source, file), "utf8");
    const found = [...text.matchAll(/const (\w+) = createRoute\(\{([\s\S]*?)\}\);/g)];
    if (found.length !== text.split("createRoute(").length - 1) throw new Error(`${file} is not understood`);
    for (const [, name = "", options = ""] of found) {
      if (declared.has(name)) throw new Error(`two routes are named ${name}`);
      const parent = /getParentRoute: \(\) => (\w+)/.exec(options)?.[1] ?? "";
      const component = /import\("(.+?)"\)/.exec(options)?.[1];
      declared.set(name, {
        parent,
        path: /\bpath: "(.*?)"/.exec(options)?.[1] ?? null,
        component: component === undefined ? null : join(source, dirname(file), component),
      });
    }
  }
  return declared;
}
