import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { connect, createServer, type Socket } from "node:net";
import type { LiveMessage } from "@tollgate/core/contract/live-message";
import { watchLive } from "@tollgate/sdk/live";
import { chat } from "../../support/clients/call-endpoints.ts";
import { next, watch } from "../../support/clients/watch.ts";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { type ControlLab, startControlLab } from "../../support/labs/control-lab.ts";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import {
  isAlive,
  printedKeys,
  type RunningTollgate,
  startTollgate,
} from "../../support/processes/tollgate-process.ts";
import { sampleSettlement } from "../../support/rows/sample-event.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const databases = controlDatabases();

/** A proxy to a server whose connections can be cut. */
async function startCuttable(url: string) {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer(client => {
    const onward = connect({ host: hostname, port: Number(port) });
    for (const socket of [client, onward]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => sockets.delete(socket));
    }
    client.pipe(onward).pipe(client);
    if (isCut) for (const socket of [client, onward]) socket.destroy();
  });
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    cut,
    mend() {
      isCut = false;
    },
    async stop() {
      cut();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

for (const engine of systemEngines) {
  describe(`resuming, ${engine}`, () => {
    let lab: ControlLab;
    beforeAll(async () => {
      lab = await startControlLab(await databases.place(engine));
    });
    afterAll(() => lab.stop());

    const raise = (orgId: string, key: string) =>
      lab.db
        .insertInto("alerts")
        .values({
          id: crypto.randomUUID(),
          org_id: orgId,
          mode: "live",
          alert_key: key,
          type: "cost_spike",
          severity: "warning",
          message: key,
          metadata: "{}",
          agent_id: null,
          triggered_at: lab.clock.now(),
          read_at: null,
        })
        .execute();

    it("LIVE-004 sends missed events and alerts in order, without gaps or repeats, wherever it resumes", async () => {
      const { id, readKey, addEvents } = await lab.organization();
      const other = await lab.organization();
      const first = await watch(lab.url, { key: readKey });
      await next(first, "totals", () => first.subscribe(["events", "alerts", "totals"]));
      const since = first.of("totals").at(-1)?.seq ?? "none";
      const placeOf = (seq: string) => lab.placeOf(id, seq);
      for (let round = 0; round < 5; round++) {
        await addEvents({ agent_key: `a${round}` }, { agent_key: `b${round}` });
        await other.addEvents({}, {});
        await raise(id, `one ${round}`);
        await raise(id, `two ${round}`);
        await eventually("it was told", () => first.of("alerts").length === (round + 1) * 2);
      }
      const logs = (messages: readonly LiveMessage[]) =>
        messages
          .filter(({ channel }) => channel === "events" || channel === "alerts")
          .map(({ channel, seq, data }) => ({ channel, seq, id: "id" in data ? data.id : null }));
      const told = logs(first.messages);
      expect(told).toHaveLength(20);
      const order = told.map(({ seq }) => placeOf(seq));
      expect(order).toEqual(order.toSorted((a, b) => a - b));
      expect(new Set(told.map(({ seq }) => seq)).size).toBe(20);
      const places = [since, ...told.map(({ seq }) => seq)];
      const resumeEverywhere = async () => {
        for (const place of places) {
          const again = await watch(lab.url, { key: readKey });
          // The state is sent after missed messages: once it is there, all of those are.
          await next(again, "totals", () => again.subscribe(["events", "alerts", "totals"], place));
          expect(logs(again.messages)).toEqual(told.filter(({ seq }) => placeOf(seq) > placeOf(place)));
          expect(again.messages.at(-1)?.channel).toBe("totals");
          await again.close();
        }
      };
      // From memory while a viewer is connected; afterwards, from ledger and database.
      await resumeEverywhere();
      await first.close();
      await resumeEverywhere();
      const onlyAlerts = await watch(lab.url, { key: readKey });
      await next(onlyAlerts, "totals", () => onlyAlerts.subscribe(["alerts", "totals"], since));
      expect(logs(onlyAlerts.messages)).toEqual(told.filter(({ channel }) => channel === "alerts"));
      await onlyAlerts.close();
    });

    it("LIVE-004 loses and repeats nothing across reconnects while events and alerts arrive", async () => {
      const { id, readKey } = await lab.organization();
      const agent = {
        id: crypto.randomUUID(),
        org_id: id,
        mode: "live",
        agent_key: "default",
        first_seen_at: 0,
      } as const;
      const wanted: string[] = [];
      let isOver = false;
      const seen: string[] = [];
      const subscribe = ["events", "alerts", "totals"] as const;
      let since: string | undefined;
      const started = await watch(lab.url, { key: readKey });
      await next(started, "totals", () => started.subscribe(["totals"]));
      since = started.of("totals").at(-1)?.seq;
      const viewing = (async () => {
        while (!isOver || seen.length < wanted.length) {
          const watching = await watch(lab.url, { key: readKey });
          await next(watching, "totals", () => watching.subscribe(subscribe, since));
          const enough = Math.random() * 40;
          await eventually("some messages", () => isOver || watching.messages.length > enough);
          // Messages still in transit are lost with the connection.
          watching.socket.terminate();
          for (const { channel, seq, data } of watching.messages) {
            since = seq;
            if (channel === "events" || channel === "alerts") seen.push(data.id);
          }
          watching.messages.length = 0;
        }
      })();
      for (let batch = 0; batch < 120; batch++) {
        const settlements = Array.from({ length: 5 }, () =>
          sampleSettlement(crypto.randomUUID(), { org_id: id, created_at: lab.clock.now() }),
        );
        await lab.ledger.append(settlements, batch === 0 ? [agent] : []);
        wanted.push(...settlements.map(({ event }) => event.id));
        if (batch % 10 === 0) await raise(id, `alert ${batch}`);
        await new Promise(resolve => setImmediate(resolve));
      }
      const alerts = await lab.db.selectFrom("alerts").select("id").where("org_id", "=", id).execute();
      wanted.push(...alerts.map(row => row.id));
      isOver = true;
      await viewing;
      expect(seen.toSorted()).toEqual(wanted.toSorted());
      await started.close();
    });

    it("LIVE-004 sends a viewer of logs that has seen nothing yet what it missed while disconnected", async () => {
      const { id, readKey, addEvents } = await lab.organization();
      await addEvents({});
      await lab.isPublished();
      const way = await startCuttable(lab.url);
      const seen: string[] = [];
      const watching = watchLive({
        baseUrl: way.url,
        apiKey: readKey,
        channels: ["events", "alerts"],
        onMessage: ({ channel, data }) => {
          if (channel === "events" || channel === "alerts") seen.push(data.id);
        },
      });
      await eventually("it is subscribed", () => watching.seq !== null);
      way.cut();
      const [event] = await addEvents({});
      await raise(id, "missed");
      const alert = await lab.db
        .selectFrom("alerts")
        .select("id")
        .where("org_id", "=", id)
        .executeTakeFirst();
      expect(seen).toEqual([]);
      way.mend();
      await eventually("it is told of both", () => seen.length === 2);
      expect(seen).toEqual([event?.id ?? "", alert?.id ?? ""]);
      watching.close();
      await way.stop();
    });

    it("LIVE-008 closes with 4409 if more than 10,000 events were missed, or `since` is from another ledger", async () => {
      const { id, readKey } = await lab.organization();
      const other = await lab.organization();
      const agent = {
        id: crypto.randomUUID(),
        org_id: id,
        mode: "live",
        agent_key: "default",
        first_seen_at: 0,
      } as const;
      const watching = await watch(lab.url, { key: readKey });
      const start = await next(watching, "totals", () => watching.subscribe(["totals"]));
      await watching.close();
      const append = (count: number, orgId: string) =>
        lab.ledger.append(
          Array.from({ length: count }, () => sampleSettlement(crypto.randomUUID(), { org_id: orgId })),
          orgId === id ? [agent] : [],
        );
      // Other organizations' events do not count.
      await append(5000, other.id);
      await append(10_000, id);
      await eventually("the hub has seen them", async () => {
        const look = await watch(lab.url, { key: readKey });
        const { seq } = await next(look, "totals", () => look.subscribe(["totals"]));
        await look.close();
        return lab.placeOf(id, seq) >= lab.placeOf(id, start.seq) + 15_000_000_000;
      });
      const all = await watch(lab.url, { key: readKey });
      await all.subscribe(["events"], start.seq);
      await eventually("all of them", () => all.of("events").length === 10_000);
      expect(new Set(all.of("events").map(({ data }) => data.id)).size).toBe(10_000);
      await append(1, id);
      await eventually("one more", () => all.of("events").length === 10_001);
      await all.close();
      const late = await watch(lab.url, { key: readKey });
      late.askFor(["events"], start.seq);
      expect(await late.ended()).toBe(4409);
      const ahead = await watch(lab.url, { key: readKey });
      ahead.askFor(["events"], lab.seqAt(id, lab.placeOf(id, start.seq) + 900_000_000_000));
      expect(await ahead.ended()).toBe(4409);
      const alertsOnly = await watch(lab.url, { key: readKey });
      await next(alertsOnly, "totals", () => alertsOnly.subscribe(["alerts", "totals"], start.seq));
      await alertsOnly.close();
    }, 600_000);
  });
}

describe("across a restart of the control plane", () => {
  const folder = temporaryFolder();
  let tollgate: RunningTollgate;
  beforeAll(async () => {
    tollgate = startTollgate(folder("data"));
    await tollgate.ready();
  });
  afterAll(() => tollgate.stop());

  it("LIVE-004 REL-007 sends every event and alert exactly once, even if it is killed twice under load", async () => {
    const gateway = tollgate.addressOf("gateway");
    const web = tollgate.addressOf("web");
    const key = printedKeys(tollgate.stdout).test[0] ?? "";
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    await fetch(`${web}/api/budgets`, {
      method: "POST",
      headers,
      body: JSON.stringify({ period: "daily", limit_microcents: 100, enforcement_mode: "alert_only" }),
    });
    const messages: LiveMessage[] = [];
    const states: string[] = [];
    const watching = watchLive({
      baseUrl: web,
      apiKey: key,
      channels: ["events", "alerts", "totals"],
      onMessage: message => messages.push(message),
      onState: state => states.push(state),
    });
    await eventually("it watches", () => messages.length > 0);
    let made = 0;
    let isOver = false;
    const load = async () => {
      while (!isOver) {
        const answer = await fetch(gateway + chat.path, {
          method: "POST",
          headers: { ...headers, "x-provider-key": "k" },
          body: JSON.stringify(chat.body),
        });
        await answer.text();
        if (answer.status === 200) made++;
      }
    };
    const loads = [load(), load()];
    const events = () => messages.flatMap(message => (message.channel === "events" ? [message.data.id] : []));
    for (let killed = 0; killed < 2; killed++) {
      // Messages in transit when the last one died still arrive.
      await eventually("it runs", () => tollgate.controlPid() !== null);
      const before = events().length;
      await eventually("events come", () => events().length > before + 5);
      const pid = tollgate.controlPid();
      if (pid === null) throw new Error("there is no control plane");
      process.kill(pid, "SIGKILL");
      await eventually("it is dead", () => !isAlive(pid));
    }
    const before = events().length;
    await eventually("events come again", () => events().length > before + 5);
    isOver = true;
    await Promise.all(loads);
    await eventually("every call was told", () => events().length >= made);
    expect(events()).toHaveLength(made);
    expect(new Set(events()).size).toBe(made);
    const seqs = messages.flatMap(({ channel, seq }) => (channel === "totals" ? [] : [seq]));
    expect(new Set(seqs).size).toBe(seqs.length);
    const alerts = () => messages.flatMap(message => (message.channel === "alerts" ? [message.data.id] : []));
    const { alerts: listed } = (await (await fetch(`${web}/api/alerts`, { headers })).json()) as {
      alerts: { id: string }[];
    };
    await eventually("every alert was told", () => alerts().length >= listed.length);
    expect(alerts().toSorted()).toEqual(listed.map(({ id }) => id).toSorted());
    expect(states.filter(state => state === "reconnecting").length).toBeGreaterThanOrEqual(2);
    const totals = () => messages.findLast(message => message.channel === "totals")?.data.today.calls;
    await eventually("totals count every call once", () => totals() === made);
    watching.close();
  }, 600_000);
});
