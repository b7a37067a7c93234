import type { ControlStore } from "@tollgate/storage/control/control-store";
import type { Config } from "./config.ts";
import { dataFiles } from "./data-files.ts";
import { withControlStore } from "./open-store.ts";
import { hasEvents, lostControl } from "./refuse-lost-data.ts";

/** Who the first sign-in link is for, until somebody says who it is. */
export const FIRST_USER = "admin@localhost.localdomain";

export interface FirstRun {
  readonly liveKey: string;
  readonly testKey: string;
  /** null: people sign in at the identity provider. */
  readonly signInLink: string | null;
}

export interface Addresses {
  readonly gateway: string;
  readonly web: string;
}

/** Says where everything is and, on the first run, makes what is needed to begin. */
export async function announce(addresses: Addresses, config: Config): Promise<void> {
  const created = await firstRun(config);
  // In one piece: whoever waits for the first line has the keys, too.
  process.stdout.write(
    `Tollgate gateway: ${addresses.gateway}\nTollgate web:     ${addresses.web}\n${created ? welcome(addresses, created, config) : ""}`,
  );
}

/** On an empty store: the organization `default`, its two keys and its owner. Later runs make nothing. */
async function firstRun(config: Config): Promise<FirstRun | null> {
  return await withControlStore(config, async store => {
    if (!(await store.isEmpty())) return null;
    // The database could not be asked before the start.
    if (hasEvents(dataFiles(config.dataDir).ledger)) {
      process.stderr.write(`${lostControl(config).message}\n`);
      return null;
    }
    const now = Date.now();
    const { id } = await store.createOrganization("default", config.defaultTier, now);
    return {
      liveKey: (await store.createKey(id, "live", "write", now)).key,
      testKey: (await store.createKey(id, "test", "write", now)).key,
      signInLink: config.oidc ? null : await linkForOwner(config, store, id),
    };
  });
}

async function linkForOwner(config: Config, store: ControlStore, orgId: string): Promise<string | null> {
  const { invite } = await import("./invite.ts");
  const owner = { orgId, email: FIRST_USER, role: "owner" } as const;
  return (await invite(config, store.database, owner)).signInLink;
}

function welcome(addresses: Addresses, created: FirstRun, config: Config): string {
  const signIn = created.signInLink
    ? `Sign in once with this link, and choose a password there:\n\n  ${created.signInLink}`
    : `Sign in at ${config.publicUrl}/sign-in: whoever does so first becomes the owner.`;
  return `
First run: the organization "default" was made. Its keys are shown this once:

  live key  ${created.liveKey}
  test key  ${created.testKey}

${signIn}

A first call, answered by the built-in simulator (the test key needs no provider account):

  curl -i ${addresses.gateway}/v1/chat/completions \\
    -H "Authorization: Bearer ${created.testKey}" \\
    -H "X-Provider-Key: anything" \\
    -H "Content-Type: application/json" \\
    -d '{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello!"}]}'

Its cost in microcents is in the X-Gateway-Cost header. Where it went:

  npm run --silent svc -- ledger tail --limit 1 --json
  curl ${addresses.web}/api/analytics -H "Authorization: Bearer ${created.testKey}"

`;
}
