import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { join } from "node:path";
import { readIntents } from "@tollgate/storage/ledger/intent-journal";
import { callEndpoints, chat } from "../../support/clients/call-endpoints.ts";
import { sendBytes } from "../../support/clients/send-bytes.ts";
import { startTestGateway, type TestGateway } from "../../support/labs/test-gateway.ts";
import { type ServedProvider, serveProvider } from "../../support/servers/serve-provider.ts";
import { eventually } from "../../support/waiting/eventually.ts";

let gateway: TestGateway;
let openai: ServedProvider;
let anthropic: ServedProvider;

beforeAll(async () => {
  openai = serveProvider("openai");
  anthropic = serveProvider("anthropic");
  gateway = await startTestGateway({ baseUrls: { openai: openai.url, anthropic: anthropic.url } });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([openai.stop(), anthropic.stop()]);
});

const idHeaders = ["x-agent-id", "x-session-id", "x-customer-id", "x-config-version"] as const;

const empty: [string, string][] = [
  ["empty", ""],
  ["blank", "   "],
];

const bad: [string, string | Uint8Array][] = [
  ["too long by one", "a".repeat(257)],
  ["too long by one in UTF-8", Buffer.from("é".repeat(257))],
  ["with a tab", "a\tb"],
  ["with an escape character", "a\u001b[31m"],
  ["with a bell", "a\u0007"],
  ["with a null", "a\u0000b"],
  ["with a delete character", "a\u007f"],
  ["with a bare carriage return", "a\rb"],
  ["with a control character beyond ASCII", Buffer.from("a\u0085b")],
  ["with a bidi mark", Buffer.from("a\u202eb")],
  ["with a zero-width space", Buffer.from("a\u200bb")],
];

/** As sent, and as stored. */
const good: [string | Uint8Array, string][] = [
  ["auth0|5f7c8ec7", "auth0|5f7c8ec7"],
  ["jane+test@example.com", "jane+test@example.com"],
  ["team#7", "team#7"],
  ["Acme Corp,  Inc.", "Acme Corp,  Inc."],
  [`<b>"a" 'b' \\ 100% =1</b>`, `<b>"a" 'b' \\ 100% =1</b>`],
  ["a".repeat(256), "a".repeat(256)],
  ["AZaz09_.:@/-", "AZaz09_.:@/-"],
  ["0", "0"],
  [Buffer.from("Zoë 日本 🦊"), "Zoë 日本 🦊"],
  [Buffer.from("é".repeat(256)), "é".repeat(256)],
  [Buffer.from("e\u0301"), "e\u0301"],
  [Buffer.from([0x5a, 0x6f, 0xeb]), "Zoë"], // Latin-1
];

const fieldOf = {
  "x-agent-id": "agent_key",
  "x-session-id": "session_id",
  "x-customer-id": "customer_id",
  "x-config-version": "config_version",
} as const;

for (const { path, body } of callEndpoints) {
  const text = JSON.stringify(body);
  const rawCall = (extra: readonly (string | Uint8Array)[]) =>
    sendBytes(gateway.url, [
      Buffer.concat([
        Buffer.from(
          `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${gateway.liveKey}\r\n` +
            `x-provider-key: k\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n`,
        ),
        ...extra.map(piece => Buffer.from(piece)),
        Buffer.from(`\r\n\r\n${text}`),
      ]),
    ]);

  describe(`POST ${path}`, () => {
    it("GW-016 tags the event with agent, session and customer; GW-047 without them: default, null, null", async () => {
      await gateway.post(path, body);
      expect(gateway.events().at(-1)).toMatchObject({
        agent_key: "default",
        session_id: null,
        customer_id: null,
      });
      await gateway.post(path, body, {
        "x-agent-id": "support-bot",
        "x-session-id": "run:1",
        "x-customer-id": "acme@example.com/eu",
      });
      expect(gateway.events().at(-1)).toMatchObject({
        endpoint: path,
        agent_key: "support-bot",
        session_id: "run:1",
        customer_id: "acme@example.com/eu",
      });
    });

    for (const header of idHeaders) {
      for (const [what, value] of header === "x-config-version" ? bad : [...empty, ...bad]) {
        it(`GW-017 answers 400 to an ${header} that is ${what}, and makes no call`, async () => {
          const calls = openai.count + anthropic.count;
          const answer = await rawCall([`${header}: `, value]);
          expect(answer.status).toBe(400);
          expect(openai.count + anthropic.count).toBe(calls);
          expect(answer.text).not.toContain("\u001b");
        });
      }

      it(`GW-016 GW-017 stores any printable text of up to 256 characters verbatim, from ${header}`, async () => {
        for (const [sent, kept] of good) {
          const answer = await rawCall([`${header}: `, sent]);
          expect([kept, answer.status]).toEqual([kept, 200]);
          expect(gateway.events().at(-1)?.[fieldOf[header]]).toBe(kept);
        }
      });

      it(`GW-017 reads two ${header} headers as HTTP does: one value with a comma`, async () => {
        expect((await rawCall([`${header}: a\r\n${header}: b`])).status).toBe(200);
        expect(gateway.events().at(-1)?.[fieldOf[header]]).toBe("a, b");
      });
    }

    it("tags the event with the config version, null without one or with an empty one", async () => {
      await gateway.post(path, body);
      expect(gateway.events().at(-1)?.config_version).toBeNull();
      for (const [, value] of empty) {
        expect((await rawCall(["x-config-version: ", value])).status).toBe(200);
        expect(gateway.events().at(-1)?.config_version).toBeNull();
      }
    });

    it("sends neither the ids nor the config version to the provider", async () => {
      const ids = Object.fromEntries(idHeaders.map(name => [name, `${name} of the caller`]));
      await gateway.post(path, body, ids);
      expect(gateway.events().at(-1)?.config_version).toBe("x-config-version of the caller");
      const sent = [...openai.requests, ...anthropic.requests].map(request => JSON.stringify(request)).join();
      expect(sent).not.toContain("of the caller");
    });

    it("GW-017 names the header, and what is allowed", async () => {
      const answer = await gateway.post(path, body, { "x-session-id": "my\tsession" });
      expect([answer.status, await answer.json()]).toEqual([
        400,
        { error: "x-session-id must be 1 to 256 printable characters" },
      ]);
    });
  });
}

it("has the ids and the config version on disk before the provider answers, for recovery after a crash", async () => {
  const isRead = Promise.withResolvers<void>();
  const held = serveProvider("openai", { answer: () => isRead.promise.then(() => undefined) });
  const own = await startTestGateway({ baseUrls: { openai: held.url } });
  try {
    const ids = Object.fromEntries(idHeaders.map(name => [name, `my ${name}`]));
    const calling = own.post(chat.path, chat.body, ids);
    await eventually("the provider has the call", () => held.count === 1);
    expect(readIntents(join(own.dataDir, "ledger.db"))).toMatchObject([
      Object.fromEntries(idHeaders.map(name => [fieldOf[name], `my ${name}`])),
    ]);
    isRead.resolve();
    expect((await calling).status).toBe(200);
  } finally {
    isRead.resolve();
    await own.stop();
    await held.stop();
  }
});
