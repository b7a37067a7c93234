import type { ControlStore } from "@tollgate/storage/config/control-store";
import type { Config } from "../config/config.ts";
import { programFor } from "../config/program-name.ts";
import { dataFiles } from "../data-directory/data-files.ts";
import { withControlStore } from "../data-directory/open-store.ts";
import { hasEvents, lostControl } from "../data-directory/refuse-lost-data.ts";

/** The owner's account unless SVC_OWNER_EMAIL names one. No mail is ever sent to it. */
const DEFAULT_OWNER_EMAIL = "admin@localhost.localdomain";

interface FirstRun {
  readonly liveKey: string;
  readonly testKey: string;
  /** null: the first person to sign in at the identity provider. */
  readonly ownerEmail: string | null;
  /** null: people sign in at the identity provider. */
  readonly signInLink: string | null;
}

/** null: it runs on another machine. */
interface Addresses {
  readonly gateway: string | null;
  readonly web: string | null;
}

/** Prints the addresses and, on the first run, creates what is needed to start. */
export async function announce(addresses: Addresses, config: Config): Promise<void> {
  const { gateway, web } = addresses;
  const lines = [
    ...(gateway === null ? [] : [`Tollgate gateway: ${gateway}\n`]),
    ...(web === null ? [] : [`Tollgate web:     ${web}\n`]),
  ];
  if (web !== null) {
    const created = await firstRun(config);
    lines.push(created ? welcome(addresses, created, config) : signInHint(config));
  }
  // In one write: a program that waits for the first line also gets the keys.
  process.stdout.write(lines.join(""));
}

/** In an empty store, creates the organization `default` with two keys and its owner. Later runs create nothing. */
async function firstRun(config: Config): Promise<FirstRun | null> {
  return await withControlStore(config, store => store.alone(() => createFirst(config, store)), {
    command: "first run",
  });
}

async function createFirst(config: Config, store: ControlStore): Promise<FirstRun | null> {
  if (!(await store.isEmpty())) return null;
  // The database may have been unreachable when `refuseLostData` ran.
  if (config.role === "all" && hasEvents(dataFiles(config.dataDir).ledger)) {
    process.stderr.write(`${lostControl(config).message}\n`);
    return null;
  }
  const now = Date.now();
  const { id } = await store.createOrganization("default", config.defaultTier, now);
  return {
    liveKey: (await store.createKey(id, "live", "write", now)).key,
    testKey: (await store.createKey(id, "test", "write", now)).key,
    ...(await inviteOwner(config, store, id)),
  };
}

async function inviteOwner(
  config: Config,
  store: ControlStore,
  orgId: string,
): Promise<Pick<FirstRun, "ownerEmail" | "signInLink">> {
  const email = config.ownerEmail ?? (config.oidc ? null : DEFAULT_OWNER_EMAIL);
  if (email === null) return { ownerEmail: null, signInLink: null };
  const { invite } = await import("../accounts/invite.ts");
  const { signInLink } = await invite(config, store.database, { orgId, email, role: "owner" });
  return { ownerEmail: email, signInLink };
}

/** Later runs print no key and no link, but must not leave anyone locked out. */
function signInHint(config: Config): string {
  const page = `Sign in:          ${config.publicUrl}/sign-in`;
  return config.oidc
    ? `${page}\n`
    : `${page} (locked out? \`${programFor(config.dataDir)} user list\` and \`user link EMAIL\`)\n`;
}

function howToSignIn({ ownerEmail, signInLink }: FirstRun, { publicUrl }: Config): string {
  if (signInLink) {
    return `Open this link, which works once, to sign in to the dashboard and choose a password:

  ${signInLink}

From then on, sign in at ${publicUrl}/sign-in with that password and the e-mail address
${ownerEmail}.`;
  }
  return ownerEmail
    ? `Sign in at ${publicUrl}/sign-in as ${ownerEmail}, who owns the organization.`
    : `Sign in at ${publicUrl}/sign-in: the first person to do so becomes the owner.`;
}

function welcome(addresses: Addresses, created: FirstRun, config: Config): string {
  const { gateway, web } = addresses;
  return `
First run: created the organization "default". Its keys are shown only once:

  live key  ${created.liveKey}
  test key  ${created.testKey}

${howToSignIn(created, config)}
${
  gateway === null || web === null
    ? "\nStart a gateway with SVC_ROLE=gateway and the same SVC_DATABASE_URL.\n"
    : firstCall({ gateway, web }, created.testKey, programFor(config.dataDir))
}
`;
}

function firstCall(addresses: { gateway: string; web: string }, testKey: string, program: string): string {
  return `
A first call, answered by the built-in simulator (the test key needs no provider account):

  curl -i ${addresses.gateway}/v1/chat/completions \\
    -H "Authorization: Bearer ${testKey}" \\
    -H "X-Provider-Key: anything" \\
    -H "Content-Type: application/json" \\
    -d '{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello!"}]}'

Its cost is in the X-Gateway-Cost header, in microcents ($1 is 10,000,000). See the recorded call:

  ${program} ledger tail --limit 1 --json
  curl ${addresses.web}/api/analytics -H "Authorization: Bearer ${testKey}"

The dashboard shows this call in test mode, which it opens in until there are live calls. For a dashboard full of sample data:

  ${program} demo
`;
}
