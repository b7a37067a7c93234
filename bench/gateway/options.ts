import { parseArgs } from "node:util";
import { namedTargets, type TargetName, targetNames } from "./targets/target.ts";

export interface BenchOptions {
  readonly quick: boolean;
  readonly json: boolean;
  readonly only: ReadonlySet<TargetName>;
}

export const usage = `bench gateway [--quick] [--json] [--only ${targetNames.join(",")}]`;

/** Throws with a message for the user if an argument is invalid. */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
    },
  });
  const wanted = values.only.flatMap(names => names.split(",")).filter(name => name !== "");
  const unknown = wanted.find(name => !targetNames.some(known => known === name));
  if (unknown !== undefined) throw new Error(`--only: there is no target \`${unknown}\``);
  const only = targetNames.filter(name =>
    wanted.length === 0 ? !namedTargets.includes(name) : wanted.includes(name),
  );
  return { quick: values.quick, json: values.json, only: new Set(only) };
}
