import { expect, it } from "bun:test";
import { createIdentity } from "@tollgate/control/features/auth/create-identity";
import { openControlDatabase } from "@tollgate/storage/database/open-control-database";
import { sql } from "kysely";
import { Browser } from "../../support/clients/browser-session.ts";
import { systemEngines } from "../../support/full-size.ts";
import { controlDatabases } from "../../support/labs/control-databases.ts";
import { PASSWORD, SECRET, startLab } from "../../support/labs/identity-lab.ts";

const databases = controlDatabases();

for (const engine of systemEngines) {
  it(`several processes that start concurrently on an empty store all get their tables, ${engine}`, async () => {
    const place = await databases.placeUnmigrated(engine);
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
    expect((await identities[3]?.accounts.findByEmail("a@example.org"))?.id).toBe(account?.id ?? "");
    for (const database of opened) await database.close();
  });

  it(`a secret shorter than 16 characters is refused: an empty one would be replaced by a well-known default, ${engine}`, async () => {
    const { db } = await databases.open(engine);
    for (const secret of ["", "fifteen letters"]) {
      const started = createIdentity({
        db,
        engine,
        publicUrl: "http://127.0.0.1:3000",
        secret,
        oidc: null,
        log: () => {},
      });
      await expect(started).rejects.toThrow("needs at least 16 characters");
    }
  });

  it(`accounts of an older installation are kept, and their addresses lock nobody out, ${engine}`, async () => {
    const database = await databases.open(engine);
    const before = await startLab(database);
    const orgId = await before.organization("first");
    await before.member(orgId, "a@example.org", "owner");
    await sql`ALTER TABLE auth_users DROP COLUMN address`.execute(database.db);
    const after = await startLab(database);
    const credentials = { email: "a@example.org", password: PASSWORD };
    const answer = await new Browser().post(`${after.url}/api/auth/sign-in/email`, credentials);
    expect(answer.status).toBe(200);
    const second = await after.identity.accounts.create("a@example.org");
    const first = await after.identity.accounts.findByEmail("a@example.org");
    expect([second.email, second.id === first?.id]).toEqual(["a@example.org", false]);
  });
}
