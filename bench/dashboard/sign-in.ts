import { join } from "node:path";
import { createIdentity } from "@tollgate/control/features/auth/create-identity";
import { createSignInLink } from "@tollgate/control/features/auth/create-sign-in-link";
import { createUser } from "@tollgate/control/features/auth/create-user";
import { openControlDatabase } from "@tollgate/storage/database/open-control-database";
import type { Browser, Cookie } from "playwright-core";
import { openPage } from "../../test/support/clients/chromium.ts";
import { ORGANIZATION } from "../data/sample-traffic.ts";
import { PUBLIC_URL, SECRET } from "../tools/control-identity.ts";

const EMAIL = "viewer@tollgate.test";

/** A link for the organization's owner, as `svc user create` prints one. */
export async function createLink(folder: string): Promise<string> {
  const database = await openControlDatabase({ kind: "sqlite", path: join(folder, "control.db") });
  try {
    const identity = await createIdentity({
      db: database.db,
      engine: database.engine,
      publicUrl: PUBLIC_URL,
      secret: SECRET,
      oidc: null,
      log: () => {},
    });
    await createUser(identity, { orgId: ORGANIZATION, email: EMAIL, role: "owner" });
    return await createSignInLink(identity, EMAIL, { orgId: ORGANIZATION });
  } finally {
    await database.close();
  }
}

/** Follows the link, as its owner does; the cookies are the session. */
export async function signIn(browser: Browser, url: string, link: string): Promise<Cookie[]> {
  const page = await openPage(browser);
  await page.goto(link.replace(PUBLIC_URL, url));
  await page.fill("input[name=password]", "a password of some length");
  await page.click("button");
  await page.waitForURL(`${url}/`);
  const cookies = await page.context().cookies();
  await page.context().close();
  return cookies;
}
