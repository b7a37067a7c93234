import { describe, expect, it } from "bun:test";
import { decodeError, decodeStreamError } from "./decode-error.ts";

const badKey = {
  error: {
    code: 400,
    message: "The key is not valid.",
    status: "INVALID_ARGUMENT",
    details: [
      { "@type": "type.googleapis.com/google.rpc.LocalizedMessage", locale: "en-US" },
      { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" },
    ],
  },
};

describe("decodeError", () => {
  it("keeps the 400 of a bad key, and recognizes it by its reason", () => {
    expect(decodeError(400, badKey)).toEqual({
      status: 400,
      message: "The key is not valid.",
      type: "INVALID_ARGUMENT",
      code: "API_KEY_INVALID",
    });
  });

  it.each([
    ["37s", 37],
    ["1.2s", 2],
    ["3600s", undefined], // a client would seem to hang
    ["soon", undefined],
    [37, undefined],
  ])("GW-031 reads when to try again: %p", (retryDelay, seconds) => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay }];
    expect(decodeError(429, { error: { code: 429, message: "m", details } }).retryAfterSeconds).toBe(
      seconds as never,
    );
  });

  it("reads an error without a reason, and one in an array", () => {
    const quota = { error: { code: 429, message: "Slow down.", status: "RESOURCE_EXHAUSTED" } };
    const decoded = { status: 429, message: "Slow down.", type: "RESOURCE_EXHAUSTED" };
    expect(decodeError(429, quota)).toEqual(decoded);
    expect(decodeError(429, [quota])).toEqual(decoded);
  });

  it.each([
    [undefined],
    [null],
    [""],
    ["<html>"],
    [{}],
    [[]],
    [{ error: "text" }],
    [{ error: { details: "none" } }],
  ])("reports at least the status for %j", body => {
    expect(decodeError(503, body)).toEqual({ status: 503, message: "google answered with status 503" });
  });
});

describe("decodeStreamError", () => {
  it.each([
    [503, 503],
    [200, 502],
    ["503", 502],
    [undefined, 502],
  ])("reads the status from the frame: %j is %d", (code, status) => {
    const frame = { error: { code, message: "Overloaded.", status: "UNAVAILABLE" } };
    expect(decodeStreamError(frame)).toEqual({ status, message: "Overloaded.", type: "UNAVAILABLE" });
  });
});
