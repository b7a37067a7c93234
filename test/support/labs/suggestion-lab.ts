import type { Event } from "@tollgate/core/event";
import { eventually } from "../waiting/eventually.ts";
import { type ControlLab, startControlLab } from "./control-lab.ts";
import type { LabOrganization } from "./experiment-lab.ts";

/** A gpt-4o call with a short answer: 1000 × 25 + 50 × 100 microcents. With gpt-4.1-nano it is 1000 × 1 + 50 × 4. */
const CALL: Partial<Event> = {
  model: "gpt-4o",
  requested_model: "gpt-4o",
  served_model: "gpt-4o-2024-08-06",
  usage: { input: 1000, output: 50 },
  cost_microcents: 30_000 as Event["cost_microcents"],
  request_hash: null,
};

export const gpt4oCalls = (count: number, change: Partial<Event>) =>
  Array.from({ length: count }, (): Partial<Event> => ({ ...CALL, ...change }));

/** The profile lags behind the read model: waits until it has all calls of the organization. */
export async function isProfiled(
  { client }: LabOrganization,
  agentId: string,
  enough: number,
): Promise<void> {
  await eventually("the profile has the calls", async () => {
    const { insufficient_data: few } = await client.call("suggestions.list", { agent_id: agentId });
    return enough >= 20 ? few.length === 0 : few[0]?.reason.startsWith(`${enough} calls`) === true;
  });
}

/** A fleet with an agent that could save, one with too few calls to tell, and one that uses the cheapest model. */
export async function startSuggestionLab(place: Parameters<typeof startControlLab>[0]): Promise<{
  readonly lab: ControlLab;
  readonly organization: LabOrganization;
  readonly wasteful: string;
  readonly small: string;
}> {
  const lab = await startControlLab(place);
  const organization = await lab.organization();
  await organization.addEvents(
    ...gpt4oCalls(40, { agent_key: "wasteful" }),
    ...gpt4oCalls(3, { agent_key: "small" }),
    ...gpt4oCalls(25, {
      agent_key: "thrifty",
      model: "gpt-4.1-nano",
      cost_microcents: 1200 as Event["cost_microcents"],
    }),
  );
  const small = organization.agentId("small");
  await isProfiled(organization, organization.agentId("thrifty"), 25);
  await isProfiled(organization, small, 3);
  return { lab, organization, wasteful: organization.agentId("wasteful"), small };
}
