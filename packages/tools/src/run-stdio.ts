import { serveStdio } from "@modelcontextprotocol/server/stdio";
import manifest from "../package.json" with { type: "json" };
import { callOverHttp } from "./call-over-http.ts";
import { createToolServer } from "./create-tool-server.ts";
import { readStdioConfig, type StdioConfig } from "./stdio-config.ts";
import { surfaces } from "./surfaces.ts";
import { ToolCallRates } from "./tool-call-rates.ts";
import { toolError } from "./tool-error.ts";

const { version } = manifest;

const help = `svc-mcp ${version}: cost intelligence for AI agents, over the Model Context Protocol (stdio).

Usage: svc-mcp [--test | --help | --version]

  --test     check the key and the connection, then exit
  --help     show this
  --version  show the version

Environment:
  SVC_API_KEY  required: an API key of your organization (sk_live_… or sk_test_…)
  SVC_API_URL  where the web API is; http://127.0.0.1:3000/api unless set

Without a flag it speaks the protocol on stdin and stdout; everything else goes to stderr.`;

/** Starts the stdio server and returns; the process ends when stdin closes. */
export async function runStdio(flags: readonly string[]): Promise<void> {
  // Stdout is for the protocol only: anything that a library prints goes to stderr.
  console.log = console.info = console.debug = console.error;
  const [flag] = flags;
  if (flags.length > 1 || (flag !== undefined && !["--test", "--help", "--version"].includes(flag))) {
    return stop(2, `Unknown arguments.\n\n${help}`);
  }
  if (flag === "--help") return print(help);
  if (flag === "--version") return print(version);
  const config = readStdioConfig(process.env);
  if (typeof config === "string") return stop(1, config);
  if (flag === "--test") return await test(config);
  serve(config);
}

function serve(config: StdioConfig): void {
  const rates = new ToolCallRates(Date.now);
  const call = callOverHttp(config, `svc-mcp/${version}`);
  serveStdio(
    () =>
      createToolServer({
        version,
        tools: surfaces.stdio,
        call,
        admit: tool => rates.admit("", tool),
        onFault: fault => complain(`a tool had a fault: ${nameOf(fault)}`),
      }),
    { onerror: fault => complain(`the connection had a fault: ${nameOf(fault)}`) },
  );
}

async function test(config: StdioConfig): Promise<void> {
  try {
    const organization = await callOverHttp(config, `svc-mcp/${version}`)("organization.get");
    print(`OK: ${config.apiUrl} answers, and the key is valid (tier ${organization.tier}).`);
  } catch (fault) {
    stop(1, `The test failed. ${toolError(fault).content[0]?.text.split("\n")[0] ?? ""}`);
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function complain(text: string): void {
  process.stderr.write(`${text}\n`);
}

function stop(exitCode: number, text: string): void {
  complain(text);
  process.exitCode = exitCode;
}

/** Only the kind of a fault: its message may contain arguments of a tool call. */
function nameOf(fault: unknown): string {
  return fault instanceof Error ? fault.name : "unknown";
}
