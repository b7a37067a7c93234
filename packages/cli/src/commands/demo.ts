import { setTimeout as sleep } from "node:timers/promises";
import type { DemoRow } from "@tollgate/control/features/demo/demo-row";
import type { ControlStore } from "@tollgate/storage/config/control-store";
import { homeOrganization } from "../accounts/home-organization.ts";
import { UsageError } from "../config/usage-error.ts";
import { findRunningInstance } from "../data-directory/instance.ts";
import { withControlStore } from "../data-directory/open-store.ts";
import type { Command, CommandInput } from "./command.ts";
import { optionalEmail, optionalNumber } from "./command-options.ts";

const POLL_MS = 200;
const MAX_SEED = 4_294_967_295;
/** Recorded instead of a person if a demo was not added on the dashboard. */
const BY_COMMAND = "cli";

export const demo: Command = {
  name: "demo",
  usage: "[--org ID] [--email E] [--seed N] [--calls N] [--no-wait]",
  summary:
    "adds an organization with sample data, all of it test traffic, and prints a link to sign in to it",
  options: {
    org: { type: "string" },
    email: { type: "string" },
    seed: { type: "string" },
    calls: { type: "string" },
    "no-wait": { type: "boolean" },
  },
  async run(input) {
    const email = optionalEmail(input, "email");
    const size = readSize(input);
    const instance = findRunningInstance(input.config.dataDir);
    if (instance === null) throw new UsageError("Tollgate is not running: start it first");
    const { addresses } = instance;
    if (addresses === null) throw new UsageError("Tollgate is starting or stopping: try again in a moment");
    return await withControlStore(
      input.config,
      async store => {
        const { db, engine } = store.database;
        const { id: homeOrgId } = await homeOrganization(store, input.options.org);
        const { addDemo } = await import("@tollgate/control/features/demo/add-demo");
        const asked = { homeOrgId, by: BY_COMMAND, member: null, ...size };
        const added = await addDemo({ db, engine, now: Date.now }, asked);
        const isAddedByAnother = !added.isNew && added.status === "adding" && added.created_by === BY_COMMAND;
        const row = input.options["no-wait"] === true ? added : await waitForEnd(store, added, input);
        const { key } = await store.createKey(row.org_id, "test", "write", Date.now());
        // Last, so that the link is still on the screen and leads to an organization with data.
        const owner =
          isAddedByAnother && email === undefined ? nobody : await inviteOwner(input, store, email, row);
        const dashboard_url = `${addresses.public ?? addresses.web}/?org=${row.org_id}&mode=test&range=30d`;
        return {
          value: {
            org_id: row.org_id,
            home_org_id: row.home_org_id,
            status: row.status,
            calls: row.done_calls,
            key,
            ...owner,
            dashboard_url,
          },
          text: [
            row.status === "ready"
              ? `The demo is organization ${row.org_id}: ${row.done_calls} calls over 30 days, all of them test traffic.`
              : `The demo is being added as organization ${row.org_id}.`,
            `Its test key, which is shown only once: ${key}`,
            isAddedByAnother && owner === nobody ? anothersText : signInText(owner, row.org_id),
            `Then see it at ${dashboard_url}`,
            "`demo remove` removes it.",
          ].join("\n"),
        };
      },
      { command: "svc demo" },
    );
  },
};

function readSize(input: CommandInput): { readonly seed?: number; readonly calls?: number } {
  const seed = optionalNumber(input, "seed");
  const calls = optionalNumber(input, "calls");
  if (seed !== undefined && seed > MAX_SEED) throw new UsageError(`--seed must be at most ${MAX_SEED}`);
  if (calls !== undefined && (calls < 1000 || calls > 100_000)) {
    throw new UsageError("--calls must be from 1000 to 100000");
  }
  return { ...(seed === undefined ? {} : { seed }), ...(calls === undefined ? {} : { calls }) };
}

/** The control plane adds it; this only watches. */
async function waitForEnd(
  { database: { db } }: ControlStore,
  { org_id }: DemoRow,
  { config, note }: CommandInput,
): Promise<DemoRow> {
  const { findDemo } = await import("@tollgate/control/features/demo/demo-row");
  let noted = "";
  for (;;) {
    const row = await findDemo(db, org_id);
    if (row === null) throw new UsageError("the demo was removed while it was being added");
    if (row.status === "failed") throw new UsageError(`the demo could not be added: ${row.error}`);
    const text = `${row.step ?? "waiting"}: ${row.done_calls} of about ${row.total_calls} calls`;
    if (text !== noted && row.status === "adding") note(text);
    noted = text;
    if (row.status === "ready") return row;
    if (findRunningInstance(config.dataDir) === null) {
      throw new UsageError("Tollgate stopped while the demo was being added");
    }
    await sleep(POLL_MS);
  }
}

interface DemoOwner {
  readonly email: string | null;
  readonly sign_in_url: string | null;
}

const nobody: DemoOwner = { email: null, sign_in_url: null };

/** Only an account's newest link works, so a second one would invalidate the link that the other command prints. */
const anothersText =
  "Another `demo` has added it at the same time and prints the link to sign in. To get a new link instead, run `demo` again once it is added.";

/**
 * The owner of a demo gets a separate account: a member of another organization would see that one after signing in.
 * A demo that was added on the dashboard keeps its members: it has no such account.
 */
async function inviteOwner(
  { config }: CommandInput,
  store: ControlStore,
  given: string | undefined,
  { org_id: orgId, created_by }: DemoRow,
): Promise<DemoOwner> {
  if (given === undefined && (config.oidc !== null || created_by !== BY_COMMAND)) return nobody;
  const email = given ?? `demo-${orgId.slice(0, 8)}@localhost.localdomain`;
  const { invite } = await import("../accounts/invite.ts");
  const { signInLink } = await invite(config, store.database, { orgId, email, role: "owner" });
  return { email, sign_in_url: signInLink };
}

function signInText({ email, sign_in_url }: DemoOwner, orgId: string): string {
  if (sign_in_url) return `To sign in as ${email}, open this link, which works once:\n${sign_in_url}`;
  if (email) return `Sign in at your identity provider as ${email}.`;
  return `To see it on the dashboard, sign in as one of its members: \`user list --org ${orgId}\` shows them, \`user create\` adds one.`;
}
