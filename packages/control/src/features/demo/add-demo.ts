import { lockOrganization } from "@tollgate/storage/config/lock-organization";
import { newId } from "@tollgate/storage/config/new-id";
import type { Engine } from "@tollgate/storage/database/open-control-database";
import type { ControlDb, ControlTransaction } from "@tollgate/storage/database/schema";
import { DEMO_NAME, type DemoRow, findDemo } from "./demo-row.ts";
import { closeDemo } from "./remove-demo.ts";

const DEMO_CALLS = 6000;
const DEMO_SEED = 1;

interface Person {
  readonly userId: string;
  readonly email: string;
}

export interface AskedDemo {
  readonly homeOrgId: string;
  /** Shown: an e-mail address, or `cli`. */
  readonly by: string;
  /** Who joins it as an owner; null: nobody yet. */
  readonly member: Person | null;
  readonly seed?: number;
  /** Past calls. */
  readonly calls?: number;
}

interface Parts {
  readonly db: ControlDb;
  readonly engine: Engine;
  readonly now: () => number;
}

/**
 * Creates the organization of a demo and asks for its data, which `watchDemos` adds. If there is a demo, the person only
 * joins it; one that failed is replaced. Of two concurrent requests, the second finds the first.
 */
export async function addDemo(
  { db, engine, now }: Parts,
  asked: AskedDemo,
): Promise<DemoRow & { readonly isNew: boolean }> {
  return await db.transaction().execute(async transaction => {
    // Asked from inside a demo, its home is the one to lock.
    const homeOrgId = (await findDemo(transaction, asked.homeOrgId))?.home_org_id ?? asked.homeOrgId;
    await lockOrganization(transaction, engine, homeOrgId);
    const existing = await findDemo(transaction, homeOrgId);
    if (existing !== null && existing.status !== "failed") {
      await join(transaction, existing.org_id, asked.member, now());
      return { ...existing, isNew: false };
    }
    if (existing !== null) await closeDemo(transaction, existing, now());
    const row = await create(transaction, { ...asked, homeOrgId }, now());
    await join(transaction, row.org_id, asked.member, now());
    return { ...row, isNew: true };
  });
}

async function create(transaction: ControlTransaction, asked: AskedDemo, at: number): Promise<DemoRow> {
  const row: DemoRow = {
    org_id: newId(),
    home_org_id: asked.homeOrgId,
    seed: asked.seed ?? DEMO_SEED,
    calls: asked.calls ?? DEMO_CALLS,
    status: "adding",
    step: null,
    done_calls: 0,
    total_calls: asked.calls ?? DEMO_CALLS,
    error: null,
    runner: null,
    heartbeat_at: at,
    created_by: asked.by,
    created_at: at,
    finished_at: null,
  };
  await transaction
    .insertInto("organizations")
    .values({
      id: row.org_id,
      name: DEMO_NAME,
      tier: "enterprise",
      status: "active",
      burst_per_minute: null,
      monthly_calls: null,
      hash_salt: Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex"),
      optimization_model_v3: 1,
      created_at: at,
    })
    .execute();
  await transaction.insertInto("demos").values(row).execute();
  return row;
}

async function join(
  transaction: ControlTransaction,
  orgId: string,
  person: Person | null,
  at: number,
): Promise<void> {
  if (person === null) return;
  await transaction
    .insertInto("members")
    .values({
      id: newId(),
      org_id: orgId,
      user_id: person.userId,
      email: person.email,
      role: "owner",
      status: "active",
      invitation: null,
      created_at: at,
    })
    .onConflict(conflict => conflict.columns(["org_id", "email"]).doNothing())
    .execute();
}
