import { encodeCursor } from "@tollgate/core/contract/fields/paging";
import type { AgentFilter } from "@tollgate/storage/read-model/queries";
import type { Handler } from "../kernel/handler.ts";
import { listAgents } from "./read-agents.ts";

export const agentsList: Handler<"agents.list"> = async (context, input) => {
  const { readModel, scope } = context;
  const { status, category, limit, cursor } = input;
  const filter: AgentFilter = {
    ...(status === undefined ? {} : { status }),
    ...(category === undefined ? {} : { category }),
  };
  const now = context.now();
  const [page, total] = await Promise.all([
    readModel.agentPage(scope, now, filter, limit, cursor?.key),
    readModel.countAgents(scope, now, filter),
  ]);
  const agents = await listAgents(context, page.rows);
  const last = agents.length < page.rows.length ? (agents.at(-1)?.id ?? null) : page.next;
  return { agents, total, next_cursor: last === null ? null : encodeCursor({ at: 0, key: last }) };
};
