import { describe, expect, it, spyOn } from "bun:test";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { gradeOne, noneUnderWay, type PairLab, pairLabs } from "../../support/labs/pair-lab.ts";
import { budgetRow } from "../../support/rows/budget-row.ts";
import { completion, STREAM } from "../../support/servers/chat-answers.ts";
import { serveProvider } from "../../support/servers/serve-provider.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const open = pairLabs();

/** A budget that the organization has already used up. */
async function spendBudget(lab: PairLab) {
  const row = budgetRow(lab.gateway.orgId, { limit: 1 }, 0);
  await lab.database.db.insertInto("budgets").values(row).execute();
}

/** What a gateway's server calls for a chat completion. */
function chatHandlerOf(options: unknown): (request: Request) => Promise<Response> {
  const { routes } = options as {
    readonly routes: Record<string, { readonly POST: (request: Request) => Promise<Response> }>;
  };
  const route = routes["/v1/chat/completions"];
  if (route === undefined) throw new Error("there is no such route");
  return route.POST;
}

describe("pairs of a verification", () => {
  it.each(["its key is revoked", "its verification is cancelled", "a budget is spent"] as const)(
    "LOOP-030 send nothing more once %s, although the second answer was under way",
    async end => {
      const shadow = Promise.withResolvers<void>();
      const asked: string[] = [];
      const provider = serveProvider("openai", {
        async answer(_request, { body }) {
          const { model } = body as { model: string };
          asked.push(model);
          if (model === "gpt-4o-mini") await shadow.promise;
          return Response.json(completion(model, `${model} explains.`));
        },
      });
      const lab = await open({ mode: "live" }, { baseUrls: { openai: provider.url } });
      const { store, orgId, liveKey, liveKeyId } = lab.gateway;
      const other = await store.createKey(orgId, "live", "write", Date.now());
      await lab.call("Explain tides.", { key: other.key });
      await eventually("a candidate is asked", async () => {
        await lab.call("Explain tides.", { key: liveKey });
        return asked.includes("gpt-4o-mini");
      });
      const isRevoked = end === "its key is revoked";
      if (end === "a budget is spent") await spendBudget(lab);
      if (end === "its verification is cancelled") {
        await lab.database.db
          .updateTable("verification_requests")
          .set({ status: "voided", end_reason: "cancelled" })
          .where("id", "=", lab.requestId)
          .execute();
      }
      // A gateway that refuses a key which it has admitted before knows what was changed before, too.
      const revoked = isRevoked ? { id: liveKeyId, key: liveKey } : other;
      await store.revokeKey(revoked.id, Date.now());
      await eventually("the key is refused", async () => {
        return (await lab.call("Explain tides.", { key: revoked.key })).response.status === 401;
      });
      const pending = asked.filter(model => model === "gpt-4o-mini").length;
      shadow.resolve();
      const answered = () => lab.ofVerification().filter(({ source }) => source === "shadow").length;
      await eventually("all second answers are there", () => answered() >= pending);
      await noneUnderWay(lab);
      // Without controls: their second answer does not wait, so they may have been judged before.
      const judgedKeys = () => {
        const judged = new Set(
          lab
            .ofVerification()
            .flatMap(({ source, pair }) =>
              source === "judge" && pair?.kind === "candidate" ? [pair.pair_id] : [],
            ),
        );
        return lab.gateway.events().flatMap(({ id, key_id }) => (judged.has(id) ? [key_id] : []));
      };
      // Their slots are free again, and another key is compared as before.
      if (isRevoked) {
        await eventually("a pair of the other key is judged", async () => {
          await lab.call("Explain tides.", { key: other.key });
          return judgedKeys().includes(other.id);
        });
      }
      expect(judgedKeys()).not.toContain(liveKeyId);
      await provider.stop();
    },
  );

  it("LOOP-030 never cost more than their verification may spend, however many concurrent calls there are", async () => {
    // Enough for the worst case of one judgement; without a bound, these calls would cost several times as much.
    const maxSpend = 400_000;
    const lab = await open({ max_spend_microcents: maxSpend });
    for (let round = 0; round < 12; round++) {
      await Promise.all(Array.from({ length: 8 }, (_, call) => lab.call(`Explain tides ${round} ${call}.`)));
    }
    await noneUnderWay(lab);
    const spent = lab.ofVerification().reduce((sum, { cost_microcents }) => sum + cost_microcents, 0);
    expect(spent).toBeGreaterThan(0);
    expect(spent).toBeLessThanOrEqual(maxSpend);
  });

  it("give their slot back if the client of a stream leaves while its event is written", async () => {
    const provider = serveProvider("openai", {
      async answer(request) {
        const { stream } = (await request.json()) as { stream?: boolean };
        if (stream !== true) return undefined;
        // In one piece: the call has settled by the time that its first frame would be sent.
        return new Response(STREAM, { headers: { "content-type": "text/event-stream" } });
      },
    });
    const serve = spyOn(Bun, "serve");
    const lab = await open({ mode: "live" }, { baseUrls: { openai: provider.url } });
    const handle = chatHandlerOf(serve.mock.calls.at(-1)?.[0]);
    serve.mockRestore();
    const sampled = async () => {
      const before = lab.ofVerification().length;
      await eventually("a call is sampled", async () => {
        await lab.call("Explain tides.", { key: lab.gateway.liveKey });
        return lab.ofVerification().length > before;
      });
    };
    await sampled();

    let leaving = new AbortController();
    const settle = Ledger.prototype.settle;
    const settling = spyOn(Ledger.prototype, "settle").mockImplementation(function (this: Ledger, ...args) {
      const settled = settle.apply(this, args);
      leaving.abort();
      return settled;
    });
    // Twice as many as there are slots. There is no server here that would cancel an answer that nobody reads.
    for (let call = 0; call < 8; call++) {
      leaving = new AbortController();
      const messages = [{ role: "user", content: `Stream ${call}.` }];
      await handle(
        new Request(`${lab.gateway.url}/v1/chat/completions`, {
          method: "POST",
          headers: lab.gateway.headers(),
          body: JSON.stringify({ model: "gpt-4o", stream: true, messages }),
          signal: leaving.signal,
        }),
      );
    }
    settling.mockRestore();
    await sampled();
    await provider.stop();
  });

  it("do not count toward the organization's limits", async () => {
    const lab = await open({}, { tier: "starter" });
    await gradeOne(lab, "Explain tides.");
    const clients = lab.gateway.events().filter(({ pair }) => pair === null).length;
    const { response } = await lab.call("Explain tides.");
    expect(Number(response.headers.get("ratelimit-remaining"))).toBeGreaterThanOrEqual(10 - clients - 1);
  });
});
