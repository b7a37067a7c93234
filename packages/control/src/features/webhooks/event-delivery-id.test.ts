import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { eventDeliveryId } from "./event-delivery-id.ts";

const KIND = "event.created";
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("the delivery id of a webhook and an event", () => {
  it("is a deterministic UUID, different for each webhook, event and kind", () => {
    const text = fc.uuid();
    fc.assert(
      fc.property(text, text, fc.integer({ min: -1000, max: 2 ** 50 }), (webhook, event, at) => {
        const id = eventDeliveryId(webhook, event, KIND, at);
        expect(id).toMatch(UUID);
        expect(eventDeliveryId(webhook, event, KIND, at)).toBe(id);
        const others = [
          eventDeliveryId(event, webhook, KIND, at),
          eventDeliveryId(webhook, event, "another", at),
        ];
        if (webhook !== event) expect(others).not.toContain(id);
      }),
    );
  });

  it("sorts by time, even among version 7 ids", () => {
    const at = Date.parse("2026-11-15T12:00:00Z");
    const time = fc.integer({ min: 0, max: 2 ** 48 - 2 });
    fc.assert(
      fc.property(time, fc.uuid(), (before, event) => {
        expect(
          eventDeliveryId("w", event, KIND, before) < eventDeliveryId("w", event, KIND, before + 1),
        ).toBe(true);
      }),
    );
    expect(Bun.randomUUIDv7("hex", at - 1) < eventDeliveryId("w", "e", KIND, at)).toBe(true);
    expect(eventDeliveryId("w", "e", KIND, at) < Bun.randomUUIDv7("hex", at + 1)).toBe(true);
  });
});
