import { describe, expect, it } from "bun:test";
import { looksLikeServiceKey, newKeyText } from "./api-key.ts";

describe("looksLikeServiceKey", () => {
  it.each(["sk-proj-abc_live_def", "sk-ant-api03-al_x", "AIzaSyal_x", "xai-sk_liv", "provider al_x", ""])(
    "does not match a provider's key: %s",
    text => {
      expect(looksLikeServiceKey(text)).toBe(false);
    },
  );

  it.each(["%", '"%"', "'%'", ' " % " ', "Bearer %", '"bearer %"', "KEY=%", "`%`", "“%”"])(
    "GW-014 recognizes our own key written as %s",
    written => {
      for (const key of [newKeyText("live"), newKeyText("test"), "SK_LIVE_x"]) {
        expect(looksLikeServiceKey(written.replace("%", key))).toBe(true);
      }
    },
  );
});
