import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { BadRequestError as AnthropicBadRequest } from "@anthropic-ai/sdk";
import type { ProviderId } from "@tollgate/core/provider-id";
import { BadRequestError } from "openai";
import { type ClientLab, startClientLab, targets } from "../../support/labs/client-lab.ts";

let lab: ClientLab;
beforeAll(async () => {
  lab = await startClientLab();
});
afterAll(() => lab.stop());

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const DATA_URL = `data:image/png;base64,${PIXEL}`;
const ADDRESS = "https://example.com/cat.png";

const fromChat = (model: string, url: string) =>
  lab.openai.chat.completions.create({
    model,
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "What is in the picture?" },
          { type: "image_url", image_url: { url } },
        ],
      },
    ],
  });

type Source = { type: "base64"; media_type: "image/png"; data: string } | { type: "url"; url: string };

const fromMessages = (model: string, source: Source) =>
  lab.anthropic.messages.create({
    model,
    max_tokens: 2000,
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "What is in the picture?" },
          { type: "image", source },
        ],
      },
    ],
  });

/** How each provider expects an image, inline and by URL. */
const inline: Readonly<Record<ProviderId, object>> = {
  openai: { type: "image_url", image_url: { url: DATA_URL } },
  anthropic: { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
  google: { inlineData: { mimeType: "image/png", data: PIXEL } },
  xai: { type: "image_url", image_url: { url: DATA_URL } },
};
const linked: Readonly<Record<Exclude<ProviderId, "google">, object>> = {
  openai: { type: "image_url", image_url: { url: ADDRESS } },
  anthropic: { type: "image", source: { type: "url", url: ADDRESS } },
  xai: { type: "image_url", image_url: { url: ADDRESS } },
};

describe("GW-009 GW-019 an image", () => {
  for (const target of targets) {
    it(`sent inline reaches ${target.model} from both kinds of client`, async () => {
      const source: Source = { type: "base64", media_type: "image/png", data: PIXEL };
      const calls = [
        await lab.observe(target, () => fromChat(target.model, DATA_URL)),
        await lab.observe(target, () => fromMessages(target.model, source)),
      ];
      for (const { received, event } of calls) {
        expect(received.text).toContain(JSON.stringify(inline[target.provider]).slice(1, -1));
        expect(event.input_tokens).toBeGreaterThan(258);
      }
    });

    it(`in a tool's result reaches ${target.model}, which answers the result`, async () => {
      const source: Source = { type: "base64", media_type: "image/png", data: PIXEL };
      const { received, answer } = await lab.observe(target, () =>
        lab.anthropic.messages.create({
          model: target.model,
          max_tokens: 2000,
          messages: [
            { role: "user", content: "What is on the screen?" },
            { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "screenshot", input: {} }] },
            {
              role: "user",
              content: [{ type: "tool_result", tool_use_id: "t1", content: [{ type: "image", source }] }],
            },
          ],
          tools: [{ name: "screenshot", input_schema: { type: "object" } }],
        }),
      );
      expect(received.text).toContain(JSON.stringify(inline[target.provider]).slice(1, -1));
      expect(answer.stop_reason).toBe("end_turn");
    });

    const { provider } = target;
    if (provider === "google") {
      it(`sent by URL is rejected for ${target.model} with a clear error, and is not forwarded`, async () => {
        const before = lab.fakes.google.count;
        const events = lab.gateway.events().length;
        const failures = [
          await fromChat(target.model, ADDRESS).then(null, error => error),
          await fromMessages(target.model, { type: "url", url: ADDRESS }).then(null, error => error),
        ];
        expect(failures[0]).toBeInstanceOf(BadRequestError);
        expect(failures[1]).toBeInstanceOf(AnthropicBadRequest);
        for (const failure of failures) {
          expect(failure.message).toContain("image URLs cannot be passed to google");
          expect(failure.headers.get("x-gateway-error-source")).toBeNull();
        }
        expect(lab.fakes.google.count).toBe(before);
        expect(lab.gateway.events()).toHaveLength(events);
      });
    } else {
      it(`sent by URL reaches ${target.model} from both kinds of client`, async () => {
        const calls = [
          await lab.observe(target, () => fromChat(target.model, ADDRESS)),
          await lab.observe(target, () => fromMessages(target.model, { type: "url", url: ADDRESS })),
        ];
        for (const { received } of calls) {
          expect(received.text).toContain(JSON.stringify(linked[provider]).slice(1, -1));
        }
      });
    }
  }
});
