import { expect, it } from "bun:test";
import { createIdentity } from "@tollgate/control/auth/create-identity";
import { openControlDatabase } from "@tollgate/storage/control/open-control-database";
import { controlDatabases, engines } from "../../support/control-databases.ts";
import { SECRET } from "./identity-lab.ts";

const databases = controlDatabases();

for (const engine of engines) {
  it(`several processes that start at once on an empty store all get their tables, ${engine}`, async () => {
    const place = await databases.place(engine);
    const opened = [await openControlDatabase(place)];
    while (opened.length < 4) opened.push(await openControlDatabase(place));
    const identities = await Promise.all(
      opened.map(({ db }) =>
        createIdentity({
          db,
          engine,
          publicUrl: "http://127.0.0.1:3000",
          secret: SECRET,
          oidc: null,
          log: () => {},
        }),
      ),
    );
    const account = await identities[0]?.accounts.create("a@example.org");
    expect(await identities[3]?.accounts.findByEmail("a@example.org")).toEqual(account ?? null);
    for (const database of opened) await database.close();
  });
}
