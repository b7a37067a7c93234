import { describe, expect, it } from "bun:test";
import { apiKeyIn } from "./api-key-header.ts";

describe("apiKeyIn", () => {
  for (const [headers, expected] of [
    [{ authorization: "Bearer sk_live_a" }, "sk_live_a"],
    [{ authorization: "bearer   sk_live_a" }, "sk_live_a"],
    [{ authorization: "BEARER\tsk_live_a" }, "sk_live_a"],
    [{ "x-api-key": "sk_live_a" }, "sk_live_a"],
    [{ authorization: "Bearer sk_live_a", "x-api-key": "sk_live_b" }, "sk_live_a"],
    [{ authorization: "Basic dTpw", "x-api-key": "sk_live_b" }, "sk_live_b"],
    [{ authorization: "Digest username=x", "x-api-key": "sk_live_b" }, "sk_live_b"],
    [{ authorization: "Basic dTpw" }, null],
    [{ authorization: "Bearer" }, ""],
    [{ authorization: "Bearer", "x-api-key": "sk_live_b" }, "sk_live_b"],
    [{ authorization: "Bearer sk-ant-oat01-x", "x-api-key": "sk_test_b" }, "sk_test_b"],
    [{ authorization: "Bearer sk-ant-oat01-x", "x-api-key": "al_b" }, "al_b"],
    [{ authorization: "Bearer sk-ant-oat01-x", "x-api-key": "sk-ant-api03-x" }, "sk-ant-oat01-x"],
    [{ authorization: "Bearer sk_live_wrong", "x-api-key": "sk_live_b" }, "sk_live_wrong"],
    [{ authorization: "bearerer sk_live_a", "x-api-key": "sk_live_b" }, "sk_live_b"],
    [{}, null],
  ] as const) {
    it(`finds ${JSON.stringify(expected)} in ${JSON.stringify(headers)}`, () => {
      expect(apiKeyIn(new Headers(headers))).toBe(expected);
    });
  }
});
