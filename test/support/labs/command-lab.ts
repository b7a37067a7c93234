import { afterAll, beforeAll, expect } from "bun:test";
import { join } from "node:path";
import type { Mode } from "@tollgate/core/event";
import type { Tier } from "@tollgate/core/limits/tiers";
import { ControlStore } from "@tollgate/storage/config/control-store";
import { chat } from "../clients/call-endpoints.ts";
import { type RunningTollgate, startTollgate, svc } from "../processes/tollgate-process.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A running Tollgate for the commands that the tests of one file run on its data. */
export function commandLab() {
  const folder = temporaryFolder();
  const dataDir = folder("data");
  let tollgate: RunningTollgate;
  beforeAll(async () => {
    tollgate = startTollgate(dataDir);
    await tollgate.ready();
  });
  afterAll(() => tollgate.stop());

  const addressOf = (plane: "gateway" | "web") => tollgate.addressOf(plane);

  /** One JSON value, one line, and nothing else. */
  async function json(args: readonly string[], settings: Record<string, string> = {}): Promise<unknown> {
    const result = await svc(dataDir, [...args, "--json"], settings);
    expect([args[0], result.exitCode, result.stderr.includes("Error")]).toEqual([args[0], 0, false]);
    expect(result.stdout.trimEnd().split("\n").length).toBe(1);
    return result.json();
  }

  /** Like `org create`, but without a process: most tests are about another command. */
  async function organization(name: string, tier: Tier) {
    const store = await ControlStore.open({ kind: "sqlite", path: join(dataDir, "control.db") });
    const { id } = await store.createOrganization(name, tier, Date.now());
    const keyOf = async (mode: Mode) => (await store.createKey(id, mode, "write", Date.now())).key;
    const made = { id, live_key: await keyOf("live"), test_key: await keyOf("test") };
    await store.close();
    return made;
  }

  async function call(
    key: unknown,
    body: unknown = chat.body,
    headers: Record<string, string> = {},
  ): Promise<number> {
    const answer = await fetch(addressOf("gateway") + chat.path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "x-provider-key": "k",
        "content-type": "application/json",
        ...headers,
      },
      body: JSON.stringify(body),
    });
    await answer.text();
    return answer.status;
  }

  return { folder, dataDir, addressOf, json, organization, call };
}
