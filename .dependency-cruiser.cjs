// Which way imports may point. A broken arrow is an error, from the first day.
const packages = {
  core: [],
  providers: ["core"],
  simulator: ["core"],
  storage: ["core"],
  gateway: ["core", "providers", "simulator", "storage"],
  sdk: ["core"],
  tools: ["core", "sdk"],
  control: ["core", "sdk", "storage", "tools"],
  dashboard: ["core", "sdk"],
  cli: ["core", "dashboard", "control", "gateway", "providers", "simulator", "storage", "tools"],
};

const layers = Object.entries(packages).map(([name, allowed]) => ({
  name: `${name}-imports-only-${allowed.join("-") || "itself"}`,
  severity: "error",
  from: { path: `^packages/${name}/src` },
  to: { path: "^packages/([^/]+)/src", pathNot: `^packages/(${[name, ...allowed].join("|")})/src` },
}));

module.exports = {
  forbidden: [
    ...layers,
    {
      name: "no-cycles",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "core-is-pure",
      comment: "Rules have no I/O: what they need comes in as an argument.",
      severity: "error",
      from: { path: "^packages/core/src", pathNot: "\\.test\\.ts$" },
      to: { dependencyTypes: ["core", "npm", "npm-dev"], pathNot: "(zod|@pydantic/genai-prices)" },
    },
    {
      name: "only-the-cli-reads-the-environment-and-files",
      comment: "Configuration is parsed once, in cli/config.ts.",
      severity: "error",
      from: { path: "^packages/(core|providers|gateway)/src", pathNot: "\\.test\\.ts$" },
      to: { path: "^(node:)?(fs|process|child_process|os)$" },
    },
    {
      name: "one-provider-does-not-know-another",
      comment: "xAI speaks OpenAI's format, and says so by importing it.",
      severity: "error",
      from: { path: "^packages/providers/src/(openai|anthropic|google)/", pathNot: "\\.test\\.ts$" },
      to: {
        path: "^packages/providers/src/(openai|anthropic|google|xai)/",
        pathNot: "^packages/providers/src/$1/",
      },
    },
    {
      name: "control-has-one-way-out",
      comment:
        "Addresses that users give are reached by outgoing/guarded-client.ts alone. Mail goes to the operator's server, sign-in to the operator's issuer.",
      severity: "error",
      from: {
        path: "^packages/control/src",
        pathNot: [
          "\\.test\\.ts$",
          "^packages/control/src/(outgoing|auth)/",
          "^packages/control/src/channels/mail-transport\\.ts$",
        ],
      },
      to: {
        path: [
          "^(node:)?(http|https|http2|net|tls|dns|dgram|inspector)(/|$)",
          "(^|/)node_modules/(nodemailer|undici|axios|got|ws|node-fetch|ky|superagent)/",
          "^(nodemailer|undici|axios|got|ws|node-fetch|ky|superagent)(/|$)",
        ],
      },
    },
    {
      name: "nothing-ships-a-test",
      severity: "error",
      from: { pathNot: "(\\.test\\.ts$|^test/|^bench/)" },
      to: { path: "(\\.test\\.ts$|^test/)" },
    },
    {
      name: "resolvable",
      severity: "error",
      from: {},
      to: { couldNotResolve: true, pathNot: "^(bun|bun:.*)$" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    // TypeScript 7 has no programming interface yet; swc reads the imports instead.
    parser: "swc",
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default", "types"],
      extensions: [".ts", ".mjs", ".js", ".cjs", ".json"],
    },
  },
};
