import { Client as NewClient, StreamableHTTPClientTransport as NewHttp } from "@modelcontextprotocol/client";
import { StdioClientTransport as NewStdio } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { builtProgram } from "../../../scripts/built-program.ts";

/** A tool's answer. */
export interface ToolResult {
  readonly text: string;
  /** Empty if there is none. */
  readonly structured: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
  /** The machine-readable line at the end of an error. */
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface ListedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
}

/** An official client, of any version and for either entry point. */
export interface ToolClient {
  readonly name: string;
  tools(): Promise<readonly ListedTool[]>;
  call(tool: string, args?: Record<string, unknown>): Promise<ToolResult>;
  client: OldClient | NewClient;
  close(): Promise<void>;
}

export type ToolClientKind =
  | "stdio, new client"
  | "stdio, old client"
  | "hosted, new client"
  | "hosted, old client";

export const toolClientKinds: readonly ToolClientKind[] = [
  "stdio, new client",
  "stdio, old client",
  "hosted, new client",
  "hosted, old client",
];

const identity = { name: "test", version: "1" };

/** `url` is the web API's address: the hosted endpoint is at `/mcp`, and the package calls `/api`. */
export async function openToolClient(kind: ToolClientKind, url: string, key: string): Promise<ToolClient> {
  const endpoint = new URL(`${url}/mcp`);
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  const child = {
    // Like the package, but from compiled code: many tests start one.
    command: builtProgram(),
    args: ["mcp"],
    env: { PATH: process.env.PATH ?? "", SVC_API_KEY: key, SVC_API_URL: `${url}/api` },
  };
  switch (kind) {
    case "stdio, new client":
      return await openNew(kind, new NewStdio(child));
    case "hosted, new client":
      return await openNew(kind, new NewHttp(endpoint, { requestInit }));
    case "stdio, old client":
      return await openOld(kind, new OldStdio(child));
    case "hosted, old client":
      return await openOld(kind, new OldHttp(endpoint, { requestInit }) as unknown as OldStdio);
    default:
      return kind satisfies never;
  }
}

/** Negotiates 2026-07-28. */
async function openNew(name: string, transport: NewStdio | NewHttp): Promise<ToolClient> {
  const client = new NewClient(identity, { versionNegotiation: { mode: "auto" } });
  await client.connect(transport);
  return {
    name,
    client,
    tools: async () => (await client.listTools()).tools,
    call: async (tool, args = {}) => readResult(await client.callTool({ name: tool, arguments: args })),
    close: () => client.close(),
  };
}

/** Knows nothing later than 2025-11-25. */
async function openOld(name: string, transport: OldStdio): Promise<ToolClient> {
  const client = new OldClient(identity);
  await client.connect(transport);
  return {
    name,
    client,
    tools: async () => (await client.listTools()).tools,
    call: async (tool, args = {}) => readResult(await client.callTool({ name: tool, arguments: args })),
    close: () => client.close(),
  };
}

/** Exactly one text, as specified. */
function readResult(result: Readonly<Record<string, unknown>>): ToolResult {
  const { content, structuredContent, isError = false } = result;
  if (!Array.isArray(content) || content.length !== 1) throw new Error("not exactly one content");
  const { type, text } = record(content[0]);
  if (type !== "text" || typeof text !== "string") throw new Error("the content is no text");
  return {
    text,
    structured: record(structuredContent),
    isError: isError === true,
    facts: isError === true ? record(JSON.parse(text.split("\n").at(-1) ?? "")) : {},
  };
}

export function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
