import { describe, expect, it } from "bun:test";
import { asUnavailable, DatabaseUnavailable } from "./database-unavailable.ts";

const fault = (fields: object) => Object.assign(new Error("x"), fields);

describe("asUnavailable", () => {
  it.each([
    [{ code: "ERR_POSTGRES_CONNECTION_CLOSED" }, "the database cannot be reached"],
    [{ code: "ECONNREFUSED" }, "the database cannot be reached"],
    // The server's code when an administrator terminates the connection.
    [{ code: "ERR_POSTGRES_SERVER_ERROR", errno: "57P01" }, "the database cannot be reached"],
    [
      { code: "ERR_POSTGRES_SERVER_ERROR", errno: "53300" },
      "the database has no connection left (max_connections)",
    ],
  ])("REL-007 %p is a database that is not available: %s", (fields, message) => {
    const unavailable = asUnavailable(fault(fields));
    expect(unavailable).toBeInstanceOf(DatabaseUnavailable);
    expect(unavailable).toMatchObject({ message });
  });

  it.each([{ code: "ERR_POSTGRES_SERVER_ERROR", errno: "23505" }, { code: "ERR_POSTGRES_SYNTAX_ERROR" }, {}])(
    "REL-007 %p stays as it is",
    fields => {
      const other = fault(fields);
      expect(asUnavailable(other)).toBe(other);
    },
  );
});
