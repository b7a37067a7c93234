import { describe, expect, it } from "bun:test";
import { isConnectionFault } from "./database-unavailable.ts";

const fault = (fields: object) => Object.assign(new Error("x"), fields);

describe("isConnectionFault", () => {
  it.each([
    [{ code: "ERR_POSTGRES_CONNECTION_CLOSED" }, true],
    [{ code: "ECONNREFUSED" }, true],
    // The server's code when an administrator terminates the connection.
    [{ code: "ERR_POSTGRES_SERVER_ERROR", errno: "57P01" }, true],
    [{ code: "ERR_POSTGRES_SERVER_ERROR", errno: "23505" }, false],
    [{ code: "ERR_POSTGRES_SYNTAX_ERROR" }, false],
    [{}, false],
  ])("REL-007 %p: %p", (fields, isExpected) => {
    expect(isConnectionFault(fault(fields))).toBe(isExpected);
  });
});
