import { expect, it, onTestFinished } from "bun:test";
import { providerIds } from "@tollgate/core/provider-id";
import { chat, chatModels } from "../../support/clients/call-endpoints.ts";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import { startInTest } from "../../support/processes/start-in-test.ts";
import { printedKeys } from "../../support/processes/tollgate-process.ts";
import { serveProvider } from "../../support/servers/serve-provider.ts";

const folder = temporaryFolder();
const start = startInTest();

it("OPS-007 each provider is called only at the address of its variable", async () => {
  const served = providerIds.map(id => ({ id, provider: serveProvider(id) }));
  onTestFinished(async () => {
    await Promise.all(served.map(({ provider }) => provider.stop()));
  });
  const settings = Object.fromEntries(
    served.map(({ id, provider }) => [`SVC_${id.toUpperCase()}_BASE_URL`, provider.url]),
  );
  const tollgate = start(folder("data"), settings);
  const gateway = await tollgate.ready();
  for (const { id } of served) {
    const counts = () => Object.fromEntries(served.map(one => [one.id, one.provider.count]));
    const before = counts();
    const answer = await fetch(gateway + chat.path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${printedKeys(tollgate.stdout).live[0]}`,
        "x-provider-key": "k",
        "content-type": "application/json",
      },
      body: JSON.stringify({ ...chat.body, model: chatModels[id] }),
    });
    expect([id, answer.status, counts()]).toEqual([id, 200, { ...before, [id]: 1 }]);
    await answer.text();
  }
});
