/** 1,000 callers at the same moment on the last cent of a budget: over three nodes, and on a single machine. */
import { type Client, createClient } from "@tollgate/sdk/client";
import { printedKeys } from "../../../test/support/processes/tollgate-process.ts";
import { eventually } from "../../../test/support/waiting/eventually.ts";
import type { Condition } from "../../gateway/conditions.ts";
import { median } from "../../kit/percentile.ts";
import { knowsBudgets } from "../knows-budgets.ts";
import { type CallAnswer, costOf, sendCall } from "../send-call.ts";
import type { Measure } from "./measure.ts";

const CALLERS = 1000;
/** What the budget is enough for. */
const CALLS_IN_LIMIT = 100;
const LESSONS = 5;
const ROUNDS = 3;

interface Place {
  readonly name: string;
  readonly gateways: readonly { readonly url: string }[];
  readonly key: string;
  readonly client: Client;
}

interface HerdResult {
  readonly served: number;
  /** Neither served nor refused for the budget. */
  readonly failed: number;
  readonly callMicrocents: number;
  readonly overshootMicrocents: number;
  /** What was left of the limit although calls were refused, in percent of it. */
  readonly unusedPoints: number;
}

export const herd: Measure = {
  name: "herd",
  async run(cluster) {
    const single = await cluster.startSingle();
    await eventually("the single machine has printed its keys", () => {
      return printedKeys(single.tollgate.stdout).live.length === 1;
    });
    const singleKey = printedKeys(single.tollgate.stdout).live[0] ?? "";
    const three: Place = {
      name: "three nodes",
      gateways: cluster.nodes,
      key: cluster.key,
      client: cluster.client(),
    };
    const one: Place = {
      name: "one machine",
      gateways: [single],
      key: singleKey,
      client: createClient({
        baseUrl: single.tollgate.addressOf("web"),
        apiKey: singleKey,
        retries: 0,
      }),
    };
    const lines: string[] = [];
    const conditions: Condition[] = [];
    for (const strict of [false, true]) {
      for (const place of [three, one]) {
        const rounds: HerdResult[] = [];
        for (let round = 0; round < ROUNDS; round++) {
          rounds.push(await runHerd(place, strict, `herd-${strict}-${place.gateways.length}-${round}`));
        }
        lines.push(line(place, strict, rounds));
        if (place === three) conditions.push(judge(strict, rounds));
      }
    }
    await single.tollgate.end();
    return { lines, conditions };
  },
};

async function runHerd({ gateways, key, client }: Place, strict: boolean, name: string): Promise<HerdResult> {
  const send = (number: number, id: string) =>
    sendCall(gateways[number % gateways.length]?.url ?? "", { id, key, headers: { "x-customer-id": name } });
  const lessons = Array.from({ length: LESSONS * gateways.length }, (_, number) => number);
  // They show what a call costs, and each gateway how long answers are.
  let callMicrocents = 0;
  for (const number of lessons) {
    callMicrocents = Math.max(callMicrocents, costOf(await send(number, `${name}-lesson-${number}`)) ?? 0);
  }
  const limit = callMicrocents * CALLS_IN_LIMIT;
  const { id } = await client.call("budgets.create", {
    period: "monthly",
    limit_microcents: limit,
    enforcement_mode: "hard_block",
    strict,
    customer_id: name,
  });
  await knowsBudgets(gateways, key, client);
  // Calls were made under the budget before, so each gateway has a part of it.
  const earlier: CallAnswer[] = [];
  for (const number of lessons) earlier.push(await send(number, `${name}-earlier-${number}`));
  const answers = await Promise.all(
    Array.from({ length: CALLERS }, (_, number) => send(number, `${name}-${number}`)),
  );
  await client.call("budgets.delete", { id });
  const served = [...earlier, ...answers].filter(({ status }) => status === 200);
  const spent = served.reduce((sum, answer) => sum + (costOf(answer) ?? Number.NaN), 0);
  // Room for less than one call is no reason to admit one.
  const unusedCalls = Math.max(0, Math.floor((limit - spent) / callMicrocents));
  return {
    served: served.length,
    failed: answers.filter(answer => answer.status !== 200 && !isBudgetRefusal(answer)).length,
    callMicrocents,
    overshootMicrocents: Math.max(0, spent - limit),
    unusedPoints: (unusedCalls * callMicrocents * 100) / limit,
  };
}

function isBudgetRefusal({ status, body }: CallAnswer): boolean {
  return status === 429 && body.includes('"current_spending"');
}

function line({ name }: Place, strict: boolean, rounds: readonly HerdResult[]): string {
  const served = rounds.map(round => round.served).join(", ");
  const overshoot = Math.max(...rounds.map(({ overshootMicrocents }) => overshootMicrocents));
  const unused = median(rounds.map(({ unusedPoints }) => unusedPoints)) ?? Number.NaN;
  const budget = strict ? "strict" : "ordinary";
  return `herd, ${budget} budget, ${name}: ${served} of ${CALLS_IN_LIMIT} calls served, overshoot at most ${overshoot} microcents (a call is ${rounds[0]?.callMicrocents}), false refusals ${unused.toFixed(1)} points of the limit (median)`;
}

function judge(strict: boolean, rounds: readonly HerdResult[]): Condition {
  const overshoot = Math.max(...rounds.map(({ overshootMicrocents }) => overshootMicrocents));
  const call = Math.max(...rounds.map(({ callMicrocents }) => callMicrocents));
  const failed = rounds.reduce((sum, round) => sum + round.failed, 0);
  const holds = strict ? overshoot === 0 : overshoot < call;
  return {
    text: `${CALLERS} callers on the last cent of ${strict ? "a strict" : "an ordinary"} budget over three nodes exceed it by ${strict ? "nothing" : "less than one call"}`,
    verdict: holds && failed === 0 ? "PASS" : "FAIL",
    numbers: `${overshoot} microcents in ${rounds.length} rounds, a call costs ${call}; ${failed} calls failed otherwise`,
  };
}
