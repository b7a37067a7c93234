import { afterAll, beforeAll } from "bun:test";
import type { Engine } from "@tollgate/storage/database/open-control-database";
import { eventually } from "../waiting/eventually.ts";
import { controlDatabases } from "./control-databases.ts";
import { type ControlLab, startControlLab } from "./control-lab.ts";
import type { LabOrganization } from "./experiment-lab.ts";
import { AGENT, CANDIDATE, type PairTraffic, PRODUCTION, pairEvents } from "./pair-events.ts";

export const comparedModels = { prod_model: PRODUCTION, candidate_model: CANDIDATE };

/** Verifications of the organization that `fresh` has made last, in a control plane for the tests of one `describe`. */
export function verificationRequests(engine: Engine) {
  const databases = controlDatabases();
  let lab: ControlLab;
  let organization: LabOrganization;
  beforeAll(async () => {
    lab = await startControlLab(await databases.place(engine));
  });
  afterAll(() => lab.stop());

  const show = (id: string) => organization.client.call("verify.requests.get", { id });
  return {
    get lab() {
      return lab;
    },
    get organization() {
      return organization;
    },
    set organization(other) {
      organization = other;
    },
    async fresh() {
      organization = await lab.organization();
      await organization.addEvents({ agent_key: AGENT });
      return organization.client;
    },
    balance: async () => (await organization.client.call("verify.balance.get")).balance,
    start: (change: { readonly policy_id?: string; readonly candidate_model?: string } = {}) =>
      organization.client.call("verify.requests.create", {
        ...comparedModels,
        agent_id: organization.agentId(AGENT),
        ...change,
      }),
    show,
    async ended(id: string) {
      await eventually("the verification has ended", async () => (await show(id)).ended_at !== null);
      return await show(id);
    },
    addPairs: (requestId: string, count: number, change: Partial<PairTraffic> = {}) =>
      organization.addEvents(...pairEvents({ requestId, count, ...change })),
    counted: (id: string, pairs: number) =>
      eventually(`${pairs} pairs are counted`, async () => (await show(id)).progress.pairs === pairs),
  };
}
