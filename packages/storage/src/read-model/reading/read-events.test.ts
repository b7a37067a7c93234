import { expect, it } from "bun:test";
import type { KyselyPlugin } from "kysely";
import { engines } from "../../../../../test/support/labs/control-databases.ts";
import { readModelLab } from "../../../../../test/support/labs/read-model-lab.ts";
import { sampleSettlement } from "../../../../../test/support/rows/sample-event.ts";
import { readEvents } from "./read-events.ts";

const open = readModelLab();

it.each(engines)(
  "WEB-008 calls that are not listed yet are searched once for all models of a provider, in %s",
  async engine => {
    const { database, ledger, reader, follower } = await open(engine);
    const models = ["one", "two", "three"];
    await ledger.append(models.map(model => sampleSettlement(`call of ${model}`, { model })));
    await follower.catchUp();
    let statements = 0;
    const counter: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        statements++;
        return result;
      },
    };
    const { db } = database;
    const scope = await db.selectFrom("scopes").select("id").executeTakeFirstOrThrow();
    const counted = db.withPlugin(counter);
    const page = await readEvents(counted, engine, reader, scope.id, { provider: "openai" }, 10);
    expect(page.rows.map(({ event }) => event.model).toSorted()).toEqual(models.toSorted());
    // Its models, the calls that are not listed, and the lists of each model.
    expect(statements).toBe(1 + 1 + models.length);
  },
);
