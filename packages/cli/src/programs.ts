import { parseArgs } from "node:util";
import type { Config } from "./config/config.ts";
import { readConfig } from "./config/config.ts";
import { restrictDataFiles } from "./data-directory/restrict-data-files.ts";

/** A command that runs until it is stopped, or that needs no configuration. It writes its own output. */
interface Program {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  /** Started by the supervisor only, so not listed in help. */
  readonly isInternal?: true;
  /** Resolves with the exit code, or with null when the process ends by itself. */
  run(args: readonly string[]): Promise<number | null>;
}

// Each program loads only its own code: a short command must not pay for loading a plane.
export const programs: readonly Program[] = [
  {
    name: "start",
    usage: "",
    summary: "runs the gateway and the web API until it is stopped",
    run: async args => await (await import("./planes/supervise.ts")).supervise(configOf(args)),
  },
  {
    name: "mcp",
    usage: "[--test]",
    summary: "serves the tools to an MCP client over stdin and stdout; needs SVC_API_KEY",
    async run(args) {
      await (await import("@tollgate/tools/run-stdio")).runStdio(args);
      return null;
    },
  },
  {
    name: "version",
    usage: "[--json]",
    summary: "prints the version",
    run: async args => await (await import("./print-version.ts")).printVersion(args),
  },
  {
    name: "gateway",
    usage: "",
    summary: "runs the gateway alone",
    isInternal: true,
    async run(args) {
      await (await import("./planes/run-gateway.ts")).runGateway(configOf(args));
      return null;
    },
  },
  {
    name: "sidecar",
    usage: "",
    summary: "runs beside a gateway on a machine of its own",
    isInternal: true,
    async run(args) {
      await (await import("./planes/run-sidecar.ts")).runSidecar(configOf(args));
      return null;
    },
  },
  {
    name: "control",
    usage: "",
    summary: "runs the web API alone",
    isInternal: true,
    async run(args) {
      await (await import("./planes/run-control.ts")).runControl(configOf(args));
      return null;
    },
  },
];

function configOf(args: readonly string[]): Config {
  // Throws if there is any option.
  parseArgs({ args: [...args], options: {} });
  const config = readConfig(process.env);
  restrictDataFiles(config.dataDir);
  return config;
}
