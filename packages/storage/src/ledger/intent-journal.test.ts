import { afterEach, describe, expect, it } from "bun:test";
import { appendFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Intent } from "./intent.ts";
import { IntentJournal, readIntents } from "./intent-journal.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function openJournal() {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-journal-"));
  folders.push(folder);
  const path = join(folder, "ledger.db");
  return { path, journal: new IntentJournal(path) };
}

const intent = (id: string): Intent => ({
  id,
  org_id: "org",
  mode: "live",
  created_at: 1,
  endpoint: "/v1/chat/completions",
  stream: false,
  agent_key: "default",
  session_id: null,
  customer_id: null,
  provider: "openai",
  model: "gpt-4o-mini",
  requested_model: "gpt-4o-mini",
  request_hash: "hash",
  prefix_hash: null,
  prompt_bytes: 10,
  max_output_tokens: null,
});

const idOf = (n: number) => String(n).padStart(8, "0");

describe("IntentJournal", () => {
  it("REL-003 has an intent on disk when append returns", () => {
    const { path, journal } = openJournal();
    journal.append(intent("a"));
    journal.append(intent("b"));
    expect(readIntents(path)).toEqual([intent("a"), intent("b")]);
  });

  it("stays small under constant load, and never loses a call that is still open", () => {
    const { path, journal } = openJournal();
    journal.append(intent("00000000-open"));
    for (let n = 1; n <= 20_000; n++) {
      journal.append(intent(idOf(n)));
      if (n > 50) journal.settled(idOf(n - 50));
    }
    const bytes = statSync(`${path}-intents-0`).size + statSync(`${path}-intents-1`).size;
    expect(bytes).toBeLessThan(2_500_000);
    const ids = readIntents(path).map(({ id }) => id);
    expect(ids).toContain("00000000-open");
    for (let n = 19_951; n <= 20_000; n++) expect(ids).toContain(idOf(n));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("ignores a line that was cut off: its call was never sent", () => {
    const { path, journal } = openJournal();
    journal.append(intent("a"));
    appendFileSync(`${path}-intents-0`, '{"id":"b","org_');
    expect(readIntents(path)).toEqual([intent("a")]);
  });

  it("is empty after clear, and can be used on", () => {
    const { path, journal } = openJournal();
    journal.append(intent("a"));
    journal.clear();
    expect(readIntents(path)).toEqual([]);
    journal.append(intent("b"));
    expect(readIntents(path)).toEqual([intent("b")]);
  });
});
