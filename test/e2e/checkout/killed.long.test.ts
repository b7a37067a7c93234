import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "bun:test";
import { mkdirSync } from "node:fs";
import { checkoutOperations } from "@tollgate/core/contract/checkout";
import { ControlStore } from "@tollgate/storage/config/control-store";
import { openControlDatabase } from "@tollgate/storage/database/open-control-database";
import {
  grantsOf,
  insertStripeCheckout,
  sessionOf,
  stripeNotice,
  UNIT_PRICE_CENTS,
  WEBHOOK_SECRET,
} from "../../support/labs/checkout-lab.ts";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import {
  printedKeys,
  type RunningTollgate,
  startTollgate,
  svc,
} from "../../support/processes/tollgate-process.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const created = checkoutOperations["verify.checkouts.create"].output;
const settings = {
  SVC_STRIPE_SECRET_KEY: "sk_test_for_tests_only",
  SVC_STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
  SVC_VERIFICATION_PRICE_CENTS: String(UNIT_PRICE_CENTS),
  SVC_STRIPE_API_BASE: "http://127.0.0.1:1",
};

const folder = temporaryFolder();
const dataDir = folder("data");
const controlPath = folder("data/control.db");
let tollgate: RunningTollgate;
let orgId: string;
let testKey: string;
beforeAll(async () => {
  tollgate = startTollgate(dataDir, settings);
  await tollgate.ready();
  const organizations = (await svc(dataDir, ["org", "list", "--json"])).json() as { id: string }[];
  orgId = organizations[0]?.id ?? "";
  testKey = printedKeys(tollgate.stdout).test[0] ?? "";
});
afterAll(() => tollgate.stop());

async function withDatabase<T>(
  path: string,
  work: (db: Awaited<ReturnType<typeof openControlDatabase>>["db"]) => Promise<T>,
): Promise<T> {
  const database = await openControlDatabase({ kind: "sqlite", path });
  try {
    return await work(database.db);
  } finally {
    await database.close();
  }
}

async function withStore<T>(path: string, work: (store: ControlStore) => Promise<T>): Promise<T> {
  const store = await ControlStore.open({ kind: "sqlite", path });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const post = (path: string, init: RequestInit) => fetch(tollgate.addressOf("web") + path, init);

async function answering(): Promise<number> {
  await eventually("the control plane answers", async () => {
    const health = await fetch(`${tollgate.addressOf("web")}/api/health`).catch(() => null);
    return health?.status === 200;
  });
  const pid = tollgate.controlPid();
  if (pid === null) throw new Error("there is no control plane");
  return pid;
}

describe("a running Tollgate", () => {
  it("LOOP-028 grants a payment once if it is killed as the notice arrives, and Stripe sends it again", async () => {
    const ids: string[] = [];
    for (let round = 0; round < 3; round++) {
      const pid = await answering();
      const id = await withDatabase(controlPath, db => insertStripeCheckout(db, orgId, Date.now()));
      ids.push(id);
      const cut = post("/webhooks/stripe", await stripeNotice(sessionOf(id))).catch(() => null);
      process.kill(pid, "SIGKILL");
      await cut;
      await eventually("it was restarted", () => {
        const next = tollgate.controlPid();
        return next !== null && next !== pid;
      });
      await answering();
      for (let again = 0; again < 2; again++) {
        const repeated = await post("/webhooks/stripe", await stripeNotice(sessionOf(id)));
        expect(repeated.status).toBe(200);
      }
    }
    const grants = await withDatabase(controlPath, db => grantsOf(db, orgId));
    expect(grants.map(({ reference, count }) => [reference, count]).toSorted()).toEqual(
      ids.map(id => [`stripe cs_test_${id}`, 1]).toSorted(),
    );
  });

  it("LOOP-028 the operator grants once per reference, with clear messages", async () => {
    const grant = (...args: string[]) => svc(dataDir, ["verification", "grant", ...args]);
    const first = await grant("--org", orgId, "--count", "5", "--reference", "invoice 7", "--mode", "test");
    expect([first.exitCode, first.stdout]).toEqual([0, expect.stringContaining("5 added to the balance")]);
    const again = await grant("--org", orgId, "--count", "5", "--reference", "invoice 7", "--mode", "test");
    expect([again.exitCode, again.stdout]).toEqual([0, expect.stringContaining("nothing was added")]);
    const other = await grant("--org", orgId, "--count", "6", "--reference", "invoice 7", "--mode", "test");
    expect([other.exitCode, other.stderr]).toEqual([2, expect.stringContaining("for 5: nothing was added")]);
    const json = await grant("--org", orgId, "--count", "1", "--reference", "r", "--mode", "test", "--json");
    expect(json.json()).toMatchObject({
      org_id: orgId,
      mode: "test",
      count: 1,
      reference: "r",
      granted: true,
    });
    const grants = await withDatabase(controlPath, db => grantsOf(db, orgId));
    expect(grants.filter(({ mode }) => mode === "test").map(({ count }) => count)).toEqual([5, 1]);
    const { stdout } = await svc(dataDir, ["verification", "balance", "--org", orgId]);
    expect(stdout).toContain("live: 6 left (6 granted, 0 used)");
    expect(stdout).toContain("test: 9 left (9 granted, 0 used)");
    for (const [args, sentence] of [
      [["--org", orgId, "--reference", "x"], "--count is required"],
      [["--org", orgId, "--reference", "x", "--count", "0"], "--count must be"],
      [["--org", orgId, "--reference", "x", "--count", "-1"], "--count"],
      [["--org", "nobody", "--reference", "x", "--count", "1"], "no organization has that id"],
      [["--org", orgId, "--count", "1"], "--reference is required"],
      [["--org", orgId, "--count", "1", "--reference", "free"], "must not be"],
      [["--org", orgId, "--count", "1", "--reference", "x", "--mode", "all"], "--mode must be"],
      [["--checkout", "nothing", "--count", "1"], "no checkout has that id"],
      [["--checkout", "x", "--org", orgId, "--count", "1"], "cannot be combined with --checkout"],
    ] as const) {
      const { exitCode, stderr } = await grant(...args);
      expect([args, exitCode, stderr]).toEqual([args, 2, expect.stringContaining(sentence)]);
    }
  });

  it("LOOP-019 LOOP-028 a test key's checkout is granted with the command shown on its page", async () => {
    await answering();
    const web = tollgate.addressOf("web");
    const callback_url = `${web}/?from=checkout`;
    const answer = await post("/api/verify/checkout", {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
      body: JSON.stringify({ callback_url }),
    });
    const checkout = created.parse(await answer.json());
    const open = () => fetch(`${web}/checkout/${checkout.id}`, { redirect: "manual" });
    const command = /svc (verification grant [^<]*)<\/code>/.exec(await (await open()).text())?.[1] ?? "";
    const granted = await svc(dataDir, command.replace("--count N", "--count 3").split(" "));
    expect([granted.exitCode, granted.stdout]).toEqual([0, expect.stringContaining("3 added")]);
    const done = await open();
    expect([done.status, done.headers.get("location")]).toEqual([303, checkout.redirect_url]);
    expect(checkout.redirect_url).toStartWith(callback_url);
    const again = await svc(dataDir, command.replace("--count N", "--count 3").split(" "));
    expect([again.exitCode, again.stdout]).toEqual([0, expect.stringContaining("nothing was added")]);
  });
});

it("LOOP-028 a payment is granted once if it is killed after the commit of the grant and before the answer", async () => {
  const place = folder("killed");
  mkdirSync(place);
  const path = `${place}/control.db`;
  const { id: buyer } = await withStore(path, store => store.createOrganization("Buyer", "pro", Date.now()));
  const checkoutId = await withDatabase(path, db => insertStripeCheckout(db, buyer, Date.now()));
  const notify = async () => {
    const control = await startKilledAfterGrant(place);
    const answer = await fetch(`${control.url}/webhooks/stripe`, await stripeNotice(sessionOf(checkoutId)))
      .then(({ status }) => status)
      .catch(() => "none");
    await control.ended;
    return answer;
  };
  // The second one is killed too: it reports that there was nothing left to grant.
  for (let round = 0; round < 2; round++) {
    expect(await notify()).toBe("none");
    expect(await withDatabase(path, db => grantsOf(db, buyer))).toMatchObject([{ count: 1 }]);
  }
});

async function startKilledAfterGrant(place: string) {
  const { promise: url, resolve, reject } = Promise.withResolvers<string>();
  const script = `${import.meta.dir}/../../support/programs/killed-after-grant.ts`;
  const child = Bun.spawn([process.execPath, script, place], {
    stdout: "ignore",
    stderr: "inherit",
    ipc: (message: { url: string }) => resolve(message.url),
    onExit: () => reject(new Error("it ended before it was ready")),
  });
  onTestFinished(() => child.kill("SIGKILL"));
  return { url: await url, ended: child.exited };
}
