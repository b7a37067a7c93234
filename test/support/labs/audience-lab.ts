import { Audience } from "@tollgate/control/features/live/audience";
import { FairQueue } from "@tollgate/control/features/live/fair-queue";
import { LiveCursors } from "@tollgate/control/features/live/live-cursors";
import { MAX_BUFFERED_BYTES, Viewer } from "@tollgate/control/features/live/viewer";
import { SealedCursors } from "@tollgate/control/kernel/sealed-cursors";
import type { Mode } from "@tollgate/core/event";
import { seqOfEvent } from "@tollgate/core/live/live-seq";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { createLiveSeeds } from "@tollgate/storage/read-model/reading/live-seeds";
import { watch } from "../clients/watch.ts";
import { sampleSettlement } from "../rows/sample-event.ts";
import { fakeClock } from "../waiting/fake-clock.ts";

const orgId = "org";
const mode: Mode = "live";

class CountedReader extends LedgerReader {
  counts = 0;

  override countOfScope(...scope: Parameters<LedgerReader["countOfScope"]>): number {
    this.counts++;
    return super.countOfScope(...scope);
  }
}

class CountedQueue extends FairQueue {
  pieces = 0;

  override run<Result>(party: string, work: () => Result | Promise<Result>): Promise<Result> {
    this.pieces++;
    return super.run(party, work);
  }
}

/** One audience over real files and sockets, published to manually. */
export function startAudienceLab(database: ControlDatabase, ledgerPath: string) {
  const ledger = new Ledger(ledgerPath, "normal");
  const reader = new CountedReader(ledgerPath);
  const real = createLiveSeeds(database);
  const asked = { days: 0, agents: 0, agentHours: 0 };
  const faults: unknown[] = [];
  let at = 0;
  const uptime = fakeClock("2026-11-15T12:00:00.000Z");
  const queue = new CountedQueue();
  const cursors = new LiveCursors(new SealedCursors("the secret of an audience"), { orgId, mode }, seq =>
    reader.lastPositionUpTo(seq),
  );
  const audience = new Audience(
    {
      db: database.db,
      ledger: reader,
      seeds: {
        ...real,
        days: (...parts) => {
          asked.days++;
          return real.days(...parts);
        },
        agents: (...parts) => {
          asked.agents++;
          return real.agents(...parts);
        },
        agentHours: (...parts) => {
          asked.agentHours++;
          return real.agentHours(...parts);
        },
      },
      scope: { orgId, mode },
      now: Date.now,
      cursors,
      queue,
      seedings: new FairQueue(4),
      published: () => seqOfEvent(at),
      onFault: fault => faults.push(fault),
    },
    "enterprise",
  );
  const entered: Viewer[] = [];
  const server = Bun.serve<{ viewer: Viewer | null }>({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request, server) {
      return server.upgrade(request, { data: { viewer: null } }) ? undefined : new Response(null);
    },
    websocket: {
      backpressureLimit: MAX_BUFFERED_BYTES,
      closeOnBackpressureLimit: false,
      open(socket) {
        const viewer = new Viewer(socket, uptime.now);
        socket.data.viewer = viewer;
        audience.enter(viewer);
        entered.push(viewer);
      },
      message() {},
      drain({ data: { viewer } }) {
        viewer?.drained();
        if (viewer !== null) audience.readOn(viewer);
      },
      close({ data: { viewer } }) {
        viewer?.ended();
        if (viewer !== null) audience.leave(viewer);
      },
    },
  });
  const url = server.url.origin;
  return {
    audience,
    /** The `seq` of an event's message. */
    seqOf: (eventSeq: number) => cursors.seal(seqOfEvent(eventSeq)),
    reader,
    queue,
    asked,
    faults,
    uptime,
    url,
    entered,
    /** Both ends of a connection. */
    async enter() {
      const watching = await watch(url, {});
      const viewer = entered.at(-1);
      if (viewer === undefined) throw new Error("nobody entered");
      return { viewer, watching };
    },
    /** Appends events to the ledger and publishes them; they are sent when the audience advances. */
    async publish(count: number): Promise<void> {
      for (let done = 0; done < count; done += 1000) {
        const some = Array.from({ length: Math.min(1000, count - done) }, () =>
          sampleSettlement(crypto.randomUUID(), { org_id: orgId, mode, created_at: Date.now() }),
        );
        await ledger.append(some, []);
      }
      while (at < reader.newestSeq()) {
        const events = reader.after(at, 250);
        at = events.at(-1)?.seq ?? at;
        audience.publishEvents(events);
      }
    },
    async stop() {
      audience.drop();
      await server.stop(true);
      reader.close();
      await ledger.close();
    },
  };
}
