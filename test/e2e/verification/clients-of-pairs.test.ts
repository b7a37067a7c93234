import { describe, expect, it, onTestFinished } from "bun:test";
import { ConnectionFault } from "@tollgate/simulator/connection-fault";
import { pairLabs } from "../../support/labs/pair-lab.ts";
import { startVerificationLab } from "../../support/labs/verification-lab.ts";
import { completion, STREAM } from "../../support/servers/chat-answers.ts";
import { serveProvider } from "../../support/servers/serve-provider.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const open = pairLabs();

describe("pairs of a verification", () => {
  it("LOOP-031 a provider that fails, is silent or cannot be reached on the second call only: clients are served, and no slot is lost", async () => {
    let fault: "refused" | "silent" | "broken" = "refused";
    const provider = serveProvider("openai", {
      answer(_request, { body }) {
        const { model } = body as { model: string };
        if (model !== "gpt-4o-mini") return Response.json(completion(model, "Tides."));
        if (fault === "silent") return new Promise<Response>(() => {});
        if (fault === "refused") return Response.json({ error: { message: "overloaded" } }, { status: 503 });
        throw new ConnectionFault("ECONNRESET");
      },
    });
    const lab = await open({ mode: "live" }, { baseUrls: { openai: provider.url }, providerTimeoutMs: 500 });
    const served = async () => {
      const { response } = await lab.call("Explain tides.", { key: lab.gateway.liveKey });
      expect(response.status).toBe(200);
    };
    const ended = (status: string) =>
      lab.ofVerification().filter(event => event.model === "gpt-4o-mini" && event.status === status);
    // Failures of the model count against it; more of them than there are slots.
    for (const [kind, status] of [
      ["refused", "error"],
      ["silent", "timeout"],
    ] as const) {
      fault = kind;
      const before = ended(status).length;
      await eventually(`five more are ${kind}`, async () => {
        await served();
        return ended(status).length >= before + 5;
      });
      for (const { pair } of ended(status).slice(before)) {
        expect(pair?.result).toMatchObject({ score: -1, grader: "failure" });
      }
    }
    // Nobody knows what the model would have answered.
    fault = "broken";
    const unreached = () => ended("error").filter(({ http_status }) => http_status === null);
    await eventually("five more are broken", async () => {
      await served();
      return unreached().length >= 5;
    });
    for (const { pair } of unreached()) expect(pair?.result).toBeNull();
    const clients = lab.gateway.events().filter(({ pair }) => pair === null);
    expect(clients.every(({ status }) => status === "success")).toBe(true);
    await provider.stop();
  });

  it("LOOP-031 change neither bytes, headers nor cost of the client's call, streamed or not, even if the second model never answers", async () => {
    const asked: string[] = [];
    const provider = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        const { model, stream } = (await request.json()) as { model: string; stream?: boolean };
        asked.push(model);
        if (model === "gpt-4o-mini") await new Promise(() => {});
        if (stream === true) {
          return new Response(STREAM, { headers: { "content-type": "text/event-stream" } });
        }
        return Response.json(completion(model, "Tides."));
      },
    });
    const lab = await startVerificationLab({ baseUrls: { openai: `http://127.0.0.1:${provider.port}` } });
    onTestFinished(() => lab.stop());
    // Differ from call to call, sampled or not.
    const varying = /^(date|x-gateway-event-id|x-gateway-latency|x-request-id|ratelimit)/;
    const make = async (stream: boolean) => {
      const { response, text } = await lab.call("Explain tides.", { key: lab.gateway.liveKey, stream });
      return { text, headers: [...response.headers].filter(([name]) => !varying.test(name)) };
    };
    const unsampled = [await make(false), await make(true)];
    await lab.begin({ mode: "live" });
    for (const [index, stream] of [false, true].entries()) {
      const before = asked.filter(model => model === "gpt-4o-mini").length;
      await eventually("a call was sampled", async () => {
        expect(await make(stream)).toEqual(unsampled[index] as Awaited<ReturnType<typeof make>>);
        return asked.filter(model => model === "gpt-4o-mini").length > before;
      });
    }
    const costs = lab.gateway
      .events()
      .flatMap(({ pair, cost_microcents }) => (pair === null ? [cost_microcents] : []));
    expect(costs.length).toBeGreaterThanOrEqual(4);
    expect(new Set(costs).size).toBe(1);
    await lab.gateway.stop("keep files");
    await provider.stop(true);
    const { LedgerReader } = await import("@tollgate/storage/ledger/ledger-reader");
    const reader = new LedgerReader(`${lab.gateway.dataDir}/ledger.db`);
    const shadows = reader
      .after(0, 1000)
      .flatMap(({ event }) => (event.model === "gpt-4o-mini" ? [event] : []));
    reader.close();
    expect(shadows.length).toBeGreaterThan(0);
    for (const event of shadows) {
      expect(event).toMatchObject({ source: "shadow", status: "interrupted", pair: { result: null } });
    }
  });
});
