import { tiers } from "@tollgate/core/limits/tiers";
import type { ControlStore, Organization } from "@tollgate/storage/config/control-store";
import { type Command, type CommandInput, optionalEmail, optionalNumber, UsageError } from "../command.ts";
import type { Config } from "../config.ts";
import { answerBySimulator, type DemoEvent } from "../demo/answer-by-simulator.ts";
import { type PlottedCall, plotTraffic } from "../demo/plot-traffic.ts";
import { findRunningInstance } from "../instance.ts";
import { withControlStore, withLedgerReader } from "../open-store.ts";
import { requireOrganization } from "../require-organization.ts";

const BATCH = 500;

export const demo: Command = {
  name: "demo",
  usage: "[--org ID] [--email E] [--days N] [--calls N]",
  summary:
    "fills a new organization with sample traffic from the simulator, and prints a link to sign in to it",
  options: {
    org: { type: "string" },
    email: { type: "string" },
    days: { type: "string" },
    calls: { type: "string" },
  },
  async run(input) {
    const days = optionalNumber(input, "days") ?? 30;
    const calls = optionalNumber(input, "calls") ?? 2000;
    if (days < 1 || days > 365) throw new UsageError("--days must be from 1 to 365");
    if (calls < 1 || calls > 100_000) throw new UsageError("--calls must be from 1 to 100000");
    const email = optionalEmail(input, "email");
    if (input.options.org !== undefined && email !== undefined) {
      throw new UsageError("--email names the owner of a new organization: omit it with --org");
    }
    const gateway = runningGateway(input.config);
    const plotted = plotTraffic({ nowMs: Date.now(), days, calls }, Math.random);
    const target = await withControlStore(input.config, async store => {
      const organization = await demoOrganization(store, input);
      await refuseTooManyAgents(store, input.config, organization, plotted);
      return { organization, key: await store.createKey(organization.id, "live", "write", Date.now()) };
    });

    const run = crypto.randomUUID().slice(0, 8);
    let accepted = 0;
    for (let from = 0; from < plotted.length; from += BATCH) {
      const events = await Promise.all(
        plotted
          .slice(from, from + BATCH)
          .map((call, index) => answerBySimulator(call, `demo-${run}-${from + index}`, Math.random)),
      );
      accepted += await send(gateway, target.key.key, events);
      input.note(`${accepted} of ${plotted.length} calls…`);
    }
    // Last, so that the link is still on the screen and leads to an organization with data.
    const owner = await inviteOwner(input, email, target.organization.id);
    return {
      value: { org_id: target.organization.id, key: target.key.key, events: accepted, days, ...owner },
      text: [
        `${accepted} calls over ${days} days for organization ${target.organization.id}.`,
        `Its key, which is shown only once: ${target.key.key}`,
        signInText(owner, target.organization.id),
      ].join("\n"),
    };
  },
};

interface DemoOwner {
  readonly email: string | null;
  readonly sign_in_url: string | null;
}

async function demoOrganization(store: ControlStore, input: CommandInput): Promise<Organization> {
  const wanted = input.options.org;
  if (typeof wanted !== "string") return await store.createOrganization("demo", "enterprise", Date.now());
  return await requireOrganization(store, wanted);
}

/** Checked before anything is written: the gateway would accept only the first agents. */
async function refuseTooManyAgents(
  store: ControlStore,
  config: Config,
  { id, tier }: Organization,
  plotted: readonly PlottedCall[],
): Promise<void> {
  const limit = tiers[tier].agents;
  const existing = await withLedgerReader(config, ledger => ledger.agentsOf(id, "live"));
  const keys = new Set(existing.map(agent => agent.agent_key));
  const added = new Set(plotted.map(call => call.agent)).difference(keys).size;
  if (added === 0) return;
  const inUse = keys.size - (await store.archivedAgents(id, "live"));
  if (inUse + added <= limit) return;
  throw new UsageError(
    `the sample traffic adds ${added} agents; the ${tier} tier includes ${limit}, of which ${inUse} are in use: choose an organization of a higher tier, or omit --org`,
  );
}

/**
 * The owner of a demo organization gets a separate account: a member of another organization would see that one after
 * signing in. An existing organization keeps its members, because a new link would end their passwords.
 */
async function inviteOwner(
  { config, options }: CommandInput,
  given: string | undefined,
  orgId: string,
): Promise<DemoOwner> {
  const isOthers = options.org !== undefined || (config.oidc !== null && given === undefined);
  if (isOthers) return { email: null, sign_in_url: null };
  const email = given ?? `demo-${orgId.slice(0, 8)}@localhost.localdomain`;
  const { invite } = await import("../invite.ts");
  const { signInLink } = await withControlStore(config, store =>
    invite(config, store.database, { orgId, email, role: "owner" }),
  );
  return { email, sign_in_url: signInLink };
}

function signInText({ email, sign_in_url }: DemoOwner, orgId: string): string {
  if (sign_in_url) return `To sign in as ${email}, open this link, which works once:\n${sign_in_url}`;
  if (email) return `Sign in at your identity provider as ${email}.`;
  return `To see it on the dashboard, sign in as one of its members: \`user list --org ${orgId}\` shows them, \`user create\` adds one.`;
}

function runningGateway(config: Config): string {
  const addresses = findRunningInstance(config.dataDir)?.addresses;
  if (!addresses) throw new UsageError("Tollgate is not running: start it first");
  return addresses.gateway;
}

async function send(gateway: string, key: string, events: readonly DemoEvent[]): Promise<number> {
  const response = await fetch(`${gateway}/v1/events`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ events }),
  });
  if (!response.ok) throw new Error(`the gateway answered ${response.status}`);
  const { accepted, rejected } = (await response.json()) as {
    accepted: number;
    rejected: { error: string }[];
  };
  const [first] = rejected;
  if (first) throw new Error(`the gateway rejected an event: ${first.error}`);
  return accepted;
}
