import { existsSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@tollgate/sdk/client";
import { chat } from "../clients/call-endpoints.ts";
import {
  checkout,
  printedKeys,
  type RunningTollgate,
  startTollgate,
  svc,
} from "../processes/tollgate-process.ts";
import { freshPostgres } from "../servers/postgres.ts";
import { startTcpProxy } from "../servers/tcp-proxy.ts";
import { eventually } from "../waiting/eventually.ts";

export interface ClusterNode {
  readonly name: string;
  readonly tollgate: RunningTollgate;
  readonly url: string;
}

export interface Answer {
  readonly status: number;
  readonly eventId: string | null;
  readonly body: unknown;
}

/** What runs the program as the version after this one. */
const nextVersion = {
  program: checkout,
  settings: { BUN_OPTIONS: `--preload ${join(import.meta.dir, "../programs/next-version.ts")}` },
};
type Version = "this" | "next";

export type ClusterLab = Awaited<ReturnType<typeof startClusterLab>>;

/** A control plane and gateways in processes of their own, as on several machines, sharing a PostgreSQL. */
export async function startClusterLab(
  inFolder: (name: string) => string,
  settings: Record<string, string> = {},
) {
  const postgres = await freshPostgres();
  const { hostname, port } = new URL(postgres.url);
  /** Between the gateways and PostgreSQL. */
  const network = await startTcpProxy({ host: hostname, port: Number(port) });
  const viaNetwork = new URL(postgres.url);
  viaNetwork.port = String(network.port);
  const shared = { ...settings, SVC_DATABASE_URL: postgres.url, SVC_SECRET: "a secret that is long enough" };
  const started: RunningTollgate[] = [];
  const start = (name: string, options: Record<string, string>, version: Version) => {
    const { program, settings: ofVersion } = version === "next" ? nextVersion : { settings: {} };
    const one = startTollgate(inFolder(name), { ...options, ...ofVersion }, program);
    started.push(one);
    return one;
  };
  const control = start("control", { ...shared, SVC_ROLE: "control" }, "this");
  await eventually("the control plane is up", () => {
    if (control.stderr.includes("not valid")) throw new Error(control.stderr);
    return existsSync(control.addresses) && printedKeys(control.stdout).test.length === 1;
  });
  const key = printedKeys(control.stdout).test[0] ?? "";
  const liveKey = printedKeys(control.stdout).live[0] ?? "";
  const client = createClient({ baseUrl: control.addressOf("web"), apiKey: key, retries: 0 });

  return {
    postgres,
    network,
    key,
    liveKey,
    shared,
    control,
    client,
    started,
    /** Another control plane; they share the work. */
    async startControl(name: string, version: Version = "this"): Promise<RunningTollgate> {
      const another = start(name, { ...shared, SVC_ROLE: "control" }, version);
      await eventually("another control plane is up", () => existsSync(another.addresses));
      return another;
    },
    /** Ends by itself, if it refuses to start. */
    startRefused: (name: string) => start(name, { ...shared, SVC_ROLE: "control" }, "this"),
    async startNode(name: string, version: Version = "this"): Promise<ClusterNode> {
      const options = {
        ...settings,
        SVC_DATABASE_URL: viaNetwork.href,
        SVC_ROLE: "gateway",
        SVC_NODE_ID: name,
      };
      const tollgate = start(name, options, version);
      const node = { name, tollgate, url: await tollgate.ready() };
      await eventually("the node knows the key", async () => {
        const answer = await fetch(`${node.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
        return answer.status !== 401;
      });
      return node;
    },
    /** Status 0: the node is gone. */
    async call({ url }: ClusterNode, headers: Record<string, string> = {}): Promise<Answer> {
      const answer = await fetch(url + chat.path, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "x-provider-key": "k",
          "content-type": "application/json",
          ...headers,
        },
        body: JSON.stringify(chat.body),
      }).catch(() => null);
      if (answer === null) return { status: 0, eventId: null, body: null };
      const eventId = answer.ok ? answer.headers.get("x-gateway-event-id") : null;
      return { status: answer.status, eventId, body: await answer.json().catch(() => null) };
    },
    async recorded(by = client) {
      const events: { id: string; cost_microcents: number; agent_id: string | null }[] = [];
      let cursor: string | undefined;
      do {
        const page = await by.call("events.list", { limit: 100, ...(cursor && { cursor }) });
        events.push(...page.events);
        cursor = page.next_cursor ?? undefined;
      } while (cursor);
      return events;
    },
    svc: (...args: string[]) => svc(inFolder("control"), args, { ...shared, SVC_ROLE: "control" }),
    svcOf: (name: string, ...args: string[]) => svc(inFolder(name), args, { ...shared, SVC_ROLE: "control" }),
    svcOfNext: (name: string, role: "control" | "gateway", ...args: string[]) =>
      svc(inFolder(name), args, { ...shared, SVC_ROLE: role, ...nextVersion.settings }, nextVersion.program),
    async stop() {
      for (const one of started) await one.end();
      network.stop();
      await postgres.drop();
    },
  };
}
