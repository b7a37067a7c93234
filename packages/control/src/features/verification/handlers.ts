import type { verificationOperations } from "@tollgate/core/contract/verification";
import { fromRow } from "@tollgate/storage/database/from-row";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Context } from "../../kernel/context.ts";
import type { Handlers } from "../../kernel/handler.ts";
import { readPageByTime } from "../../kernel/read-page-by-time.ts";
import { findAgent } from "../agents/find-agent.ts";
import { requestsAddPairs } from "./add-pairs.ts";
import { readBalance } from "./balance.ts";
import { requestsCreate } from "./create.ts";
import { endWithoutVerdict } from "./end-request.ts";
import { listTrials } from "./list-trials.ts";
import { listPolicies } from "./policies.ts";
import { policiesCreate, policiesDelete, policiesUpdate } from "./policy-handlers.ts";
import { findRequest, isOpen, lockRequest } from "./request-row.ts";
import { toRequests, type VerificationRequest } from "./to-request.ts";
import { listVerdicts } from "./to-verdict.ts";

export const verificationHandlers: Handlers<typeof verificationOperations> = {
  "verify.requests.create": requestsCreate,

  "verify.requests.get": async (context, { id }) => await shownRequest(context, id),

  "verify.requests.list": async (context, input) => {
    const { db, scope } = context;
    if (input.agent_id !== undefined) await findAgent(context, input.agent_id);
    let query = db.selectFrom("verification_requests").selectAll().where(inScope(scope));
    if (input.agent_id !== undefined) query = query.where("agent_id", "=", input.agent_id);
    if (input.status !== undefined) query = query.where("status", "=", input.status);
    const { shown, next_cursor } = await readPageByTime(query, input);
    const parsed = shown.map(row => fromRow("verification_requests", row));
    return { requests: await toRequests(context, parsed), next_cursor };
  },

  "verify.requests.cancel": async (context, { id }) => {
    await findRequest(context, id);
    await context.db.transaction().execute(async transaction => {
      const row = await lockRequest(transaction, context.engine, id);
      if (row !== null && isOpen(row)) await endWithoutVerdict(transaction, row, "cancelled", context.now());
    });
    return await shownRequest(context, id);
  },

  "verify.requests.add_pairs": requestsAddPairs,

  "verify.policies.list": async context => ({ policies: await listPolicies(context) }),
  "verify.policies.create": policiesCreate,
  "verify.policies.update": policiesUpdate,
  "verify.policies.delete": policiesDelete,

  "verify.balance.get": async ({ db, scope, freeVerifications }) =>
    await readBalance(db, scope, freeVerifications),

  "loop_views.verdicts": async (context, { limit }) => ({ verdicts: await listVerdicts(context, limit) }),

  "loop_views.trials": async (context, { limit }) => ({ trials: await listTrials(context, limit) }),
};

async function shownRequest(context: Context, id: string): Promise<VerificationRequest> {
  const [request] = await toRequests(context, [await findRequest(context, id)]);
  if (request === undefined) throw new Error(`verification ${id} is gone`);
  return request;
}
