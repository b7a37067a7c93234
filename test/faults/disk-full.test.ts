import { describe, expect, it } from "bun:test";
import { callRoutes, nativeChat } from "../support/clients/call-routes.ts";
import { expectOwnError, startFaultLab } from "../support/labs/fault-lab.ts";
import { mountSmallDisk, type SmallDisk } from "../support/processes/small-disk.ts";
import { printedKeys, startTollgate } from "../support/processes/tollgate-process.ts";
import { writeAnswer, writeChunk, writeChunkedHead, writeLastChunk } from "../support/servers/http-bytes.ts";
import { eventually } from "../support/waiting/eventually.ts";

async function onSmallDisk(work: (disk: SmallDisk) => Promise<void>, megabytes = 4): Promise<void> {
  const disk = mountSmallDisk(megabytes);
  if ("impossible" in disk) {
    // Not silently skipped: in CI, a check that could not run is a failure.
    if (process.env.CI) throw new Error(disk.impossible);
    console.warn(`not checked: ${disk.impossible}`);
    return;
  }
  try {
    await work(disk);
  } finally {
    disk.remove();
  }
}

const metricsOf = async (url: string) => (await fetch(`${url}/metrics`)).text();

describe("a full disk", () => {
  it("REL-003 GW-038 refuses new calls before they are sent, and recovers by itself", () =>
    onSmallDisk(async disk => {
      const lab = await startFaultLab({ dataDir: disk.path });
      const { gateway, upstream } = lab;
      await gateway.store.updateOrganization(gateway.orgId, { monthly_calls: 3 });
      lab.play(writeAnswer(200, nativeChat.wire.plain("fine")));
      const before = await lab.call(nativeChat, false);
      expect(before.status).toBe(200);
      await lab.event(before);

      disk.fill();
      for (const route of callRoutes) {
        for (const stream of [false, true]) {
          const agent = { "x-agent-id": `new-agent-${route.provider}` };
          await expectOwnError(await lab.call(route, stream, "hello", agent), 500);
        }
      }
      const refused = 2 * callRoutes.length;
      expect(upstream.connections.length).toBe(1);
      await lab.noEvent();
      expect(await metricsOf(gateway.url)).toContain(
        `svc_gateway_rejected_total{status="500",code="ledger_unavailable"} ${refused}`,
      );
      const health = await fetch(`${gateway.url}/health`);
      expect([health.status, await health.json()]).toMatchObject([503, { status: "down" }]);
      expect(gateway.logged.filter(line => line.includes("the ledger cannot be written")).length).toBe(1);

      // The refused calls have not counted toward the month, and registered no agent.
      disk.free();
      for (let call = 0; call < 2; call += 1) {
        const after = await lab.call(nativeChat, false);
        expect(after.status).toBe(200);
        expect(await lab.event(after)).toMatchObject({ status: "success", usage_source: "provider" });
      }
      expect(gateway.reader.agents().map(({ agent_key }) => agent_key)).toEqual(["default"]);
      await lab.stop();
    }));

  it("REL-003 makes an idle gateway unhealthy until there is space again", () =>
    onSmallDisk(async disk => {
      const lab = await startFaultLab({ dataDir: disk.path });
      const status = async () => (await fetch(`${lab.gateway.url}/health`)).status;
      expect(await status()).toBe(200);
      disk.fill();
      await eventually("it is down", async () => (await status()) === 503);
      disk.free();
      await eventually("it is healthy", async () => (await status()) === 200);
      expect(lab.gateway.logged.filter(line => line.includes("the ledger can"))).toEqual([
        expect.stringContaining("the ledger cannot be written: the disk is full; calls are refused"),
        expect.stringContaining("the ledger can be written again"),
      ]);
      await lab.stop();
    }));

  it("REL-003 degrades the control plane, which can still be read but not changed", () =>
    onSmallDisk(async disk => {
      const tollgate = startTollgate(disk.path);
      await tollgate.ready();
      const status = async () => {
        const answer = await fetch(`${tollgate.addressOf("web")}/api/health`);
        return ((await answer.json()) as { status: string }).status;
      };
      // On a busy machine an answer may be late, and then it is degraded, too.
      const isOk = async () => (await status()) === "ok";
      await eventually("it is ok", isOk);
      const budgets = (method: string, body?: string) =>
        fetch(`${tollgate.addressOf("web")}/api/budgets`, {
          method,
          headers: {
            authorization: `Bearer ${printedKeys(tollgate.stdout).live[0]}`,
            "content-type": "application/json",
          },
          ...(body === undefined ? {} : { body }),
        });
      const create = () =>
        budgets(
          "POST",
          JSON.stringify({ period: "daily", limit_microcents: 300, enforcement_mode: "alert_only" }),
        );
      disk.fill();
      expect(await status()).toBe("degraded");
      for (let attempt = 0; attempt < 3; attempt++) {
        const refused = await create();
        expect(refused.status).toBe(503);
        expect(await refused.json()).toEqual({ error: "the database cannot be written: the disk is full" });
      }
      expect(await (await budgets("GET")).json()).toMatchObject({ budgets: [] });
      disk.free();
      await eventually("it is ok again", isOk);
      expect((await create()).status).toBe(201);
      await tollgate.stop();
      const lines = tollgate.stderr.split("\n").filter(line => line.includes("changes are refused"));
      expect(lines.filter(line => !line.includes("repeated"))).toHaveLength(1);
    }, 32));

  it("REL-003 affects neither the answers of calls in flight nor their events", () =>
    onSmallDisk(async disk => {
      const lab = await startFaultLab({ dataDir: disk.path });
      const { gateway } = lab;
      const { promise: full, resolve: goOn } = Promise.withResolvers<void>();
      const frames = nativeChat.wire.frames(["some text"]);
      lab.play(request =>
        request.body.includes('"stream"')
          ? [
              writeChunkedHead(),
              ...frames.slice(0, 2).map(writeChunk),
              { do: "until", promise: full },
              ...frames.slice(2).map(writeChunk),
              writeLastChunk,
            ]
          : [{ do: "until", promise: full }, ...writeAnswer(200, nativeChat.wire.plain("some text"))],
      );
      const streamed = await lab.call(nativeChat, true);
      const plain = lab.call(nativeChat, false);
      await eventually("both calls are sent", () => lab.openConnections() === 2);
      disk.fill();
      goOn();
      const ids = [];
      for (const [answer, text] of [
        [streamed, nativeChat.client.streamText(await streamed.text())],
        [await plain, nativeChat.client.plainText(await (await plain).text())],
      ] as const) {
        expect(answer.status).toBe(200);
        expect(text).toBe("some text");
        ids.push(answer.headers.get("x-gateway-event-id"));
      }
      await lab.noEventYet(2);
      expect(await metricsOf(gateway.url)).toContain("svc_gateway_unsettled_events 2");
      expect(gateway.logged.join("\n")).toContain("waits for the ledger");

      disk.free();
      lab.play(writeAnswer(200, nativeChat.wire.plain("fine")));
      const after = await lab.call(nativeChat, false);
      expect(after.status).toBe(200);
      await eventually("the events are written", () => gateway.events().length === 3);
      expect(gateway.events().map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
      for (const event of gateway.events()) {
        expect(event).toMatchObject({ status: "success", usage_source: "provider" });
      }
      expect(await metricsOf(gateway.url)).toContain("svc_gateway_unsettled_events 0");
      await lab.stop();
    }));
});
