import { Database } from "bun:sqlite";
import { expect, it } from "bun:test";
import { errorResponse } from "./error-response.ts";

function faultOfFullDatabase(): unknown {
  const database = new Database(":memory:");
  database.run("CREATE TABLE texts (text TEXT)");
  database.run("PRAGMA max_page_count = 2");
  try {
    database.run("INSERT INTO texts VALUES (?)", ["x".repeat(100_000)]);
  } catch (fault) {
    return fault;
  } finally {
    database.close();
  }
  throw new Error("the database is not full");
}

const postgresFault = Object.assign(new Error("could not extend file"), {
  code: "ERR_POSTGRES_SERVER_ERROR",
  errno: "53100",
});

it.each([
  ["SQLite's", faultOfFullDatabase(), "SQLiteError SQLITE_FULL"],
  ["PostgreSQL's", postgresFault, "Error ERR_POSTGRES_SERVER_ERROR 53100"],
])(
  "REL-003 %s full disk is a 503 that says so, with a log line that has no source position",
  async (_, fault, name) => {
    const logged: unknown[] = [];
    const answer = errorResponse(fault, (...line) => logged.push(line));
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await answer.json()).toEqual({ error: "the database cannot be written: the disk is full" });
    expect(logged).toEqual([
      ["error", "the database cannot be written: the disk is full; changes are refused", { fault: name }],
    ]);
  },
);

it("a PostgreSQL that can only be read is a 503 that says so", async () => {
  const standby = Object.assign(new Error("cannot execute INSERT in a read-only transaction"), {
    code: "ERR_POSTGRES_SERVER_ERROR",
    errno: "25006",
  });
  const answer = errorResponse(standby, () => {});
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(await answer.json()).toEqual({ error: "the database cannot be written: it is read-only" });
});

it("an unexpected fault is a 500 that reveals nothing", async () => {
  const answer = errorResponse(new Error("secret"), () => {});
  expect([answer.status, await answer.json()]).toEqual([
    500,
    { error: "internal error of the control plane" },
  ]);
});
