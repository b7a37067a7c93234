import { join } from "node:path";
import { startControl } from "@tollgate/control/start-control";
import type { OutputOf } from "@tollgate/core/contract/operation";
import type { Operations } from "@tollgate/core/contract/operations";
import type { LeakCheckName } from "@tollgate/core/leaks/finding";
import { createClient } from "@tollgate/sdk/client";
import { createProfile } from "@tollgate/storage/profile/control-profile";
import { eventually } from "../waiting/eventually.ts";
import { fakeClock } from "../waiting/fake-clock.ts";
import { startTestGateway } from "./test-gateway.ts";

export type Report = OutputOf<Operations["cost_leak_scan.run"]>;

/** Both planes over the same files; calls go through the gateway in test mode, and the simulator answers them. */
export async function startLeakLab(time: string) {
  const clock = fakeClock(time);
  const gateway = await startTestGateway({ now: clock.now });
  const control = await startControl({
    host: "127.0.0.1",
    port: 0,
    database: gateway.store.database,
    controlPath: join(gateway.dataDir, "control.db"),
    ledgerPath: join(gateway.dataDir, "ledger.db"),
    publicUrl: "http://tollgate.test",
    secret: "a secret that is long enough for every test",
    oidc: null,
    log: () => {},
    now: clock.now,
  });
  const profile = createProfile(gateway.store.database, gateway.reader);

  return {
    clock,
    gateway,
    url: control.url,
    /** A separate organization, with access to everything in its test mode. */
    async organization() {
      const { id } = await gateway.store.createOrganization("leaky", "enterprise", clock.now());
      const { key } = await gateway.store.createKey(id, "test", "write", clock.now());
      const client = createClient({ baseUrl: control.url, apiKey: key, retries: 0 });
      const send = async (
        agent: string,
        model: string,
        body: object,
        headers: Record<string, string> = {},
      ) => {
        const isClaude = model.startsWith("claude");
        const answer = await fetch(`${gateway.url}${isClaude ? "/v1/messages" : "/v1/chat/completions"}`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${key}`,
            "x-provider-key": "any",
            "content-type": "application/json",
            "x-agent-id": agent,
            ...headers,
          },
          body: JSON.stringify({ model, ...body }),
        });
        await answer.text();
        return answer.status;
      };
      return {
        id,
        client,
        send,
        events: (agent: string) =>
          gateway.events().filter(event => event.org_id === id && event.agent_key === agent),
        async agentId(agent: string): Promise<string> {
          await caughtUp();
          const { agents } = await client.call("agents.list", {});
          return agents.find(({ agent_key }) => agent_key === agent)?.id ?? "";
        },
        async scan(query: { agent_id?: string; include_low_severity?: boolean } = {}): Promise<Report> {
          await caughtUp();
          return client.call("cost_leak_scan.run", query);
        },
      };
    },
    async stop() {
      await control.stop();
      await gateway.stop();
    },
  };

  async function caughtUp(): Promise<void> {
    await eventually("the profile has followed the ledger", async () => (await profile.lag()) === 0);
  }
}

export type LeakLab = Awaited<ReturnType<typeof startLeakLab>>;

export function findingOf(report: Report, check: LeakCheckName, agent: string | null) {
  return report.findings.find(finding => finding.check === check && finding.agent_name === agent);
}

/** A text of `tokens` by the simulator's rule: four bytes each. The number makes it unique. */
export function textOf(tokens: number, number = 0): string {
  return String(number)
    .padStart(8, "0")
    .padEnd(tokens * 4, " word");
}
