import { describe, expect, it } from "bun:test";
import { existsSync } from "node:fs";
import { commands } from "@tollgate/cli/commands";
import { findHelp, helpText } from "@tollgate/cli/help";
import { programs } from "@tollgate/cli/programs";
import { GATEWAY_VERSION } from "@tollgate/gateway/version";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import { checkout, type FinishedCommand, svc } from "../../support/processes/tollgate-process.ts";

const folder = temporaryFolder();
const dataDir = folder("never-made");

/** Invalid settings stop everything but help and the version, so whatever answers here has read no configuration. */
const ask = (...args: string[]): Promise<FinishedCommand> =>
  svc(dataDir, args, { SVC_NONSENSE: "1" }, checkout);

describe("help", () => {
  it("lists every command, start among them, with --help, -h and help", async () => {
    const listed = await ask("help");
    expect(listed).toMatchObject({ exitCode: 0, stderr: "" });
    for (const { name } of [...commands, ...programs.filter(program => !program.isInternal)]) {
      expect(listed.stdout).toContain(`\n  ${name} `);
    }
    expect([(await ask("--help")).stdout, (await ask("-h")).stdout]).toEqual([listed.stdout, listed.stdout]);
  });

  it("for one command is printed, and nothing is executed", async () => {
    for (const args of [
      ["start", "--help"],
      ["start", "-h"],
      ["gateway", "--help"],
      ["org", "create", "-h"],
    ]) {
      const helped = await ask(...args);
      expect([args, helped.exitCode, helped.stderr]).toEqual([args, 0, ""]);
      expect(helped.stdout).toStartWith(`Usage: npm run --silent svc -- ${args.slice(0, -1).join(" ")}`);
    }
    expect(existsSync(dataDir)).toBe(false);
  });

  it("for every command names its options", () => {
    for (const { name, usage } of [...programs, ...commands]) {
      const found = findHelp(name.split(" "));
      const text = found === null ? "" : helpText(found);
      expect(text.split("\n")[0]).toStartWith(`Usage: npm run --silent svc -- ${`${name} ${usage}`.trim()}`);
    }
    for (const { options, usage } of commands) {
      for (const option of Object.keys(options)) expect(usage).toContain(`--${option}`);
    }
  });

  it("for a group lists its commands; for an unknown command is an error", async () => {
    const group = await ask("ledger", "--help");
    expect([
      group.exitCode,
      group.stdout.includes("ledger verify"),
      group.stdout.includes("org create"),
    ]).toEqual([0, true, false]);
    expect(await ask("leger", "--help")).toMatchObject({ exitCode: 2, stdout: "" });
  });

  it("OPS-009 help is JSON with --json, of all commands and of one; without a command it fails", async () => {
    const listed = [...programs.filter(({ isInternal }) => !isInternal), ...commands];
    const described = listed.map(({ name, usage, summary }) => ({ name, usage, summary }));
    for (const [args, exitCode, value] of [
      [["help"], 0, { commands: described }],
      [["--help"], 0, { commands: described }],
      [[], 2, { commands: described }],
      [["org", "create", "--help"], 0, described.find(({ name }) => name === "org create")],
    ] as const) {
      const result = await svc(dataDir, [...args, "--json"]);
      expect([args, result.exitCode, result.json()]).toEqual([args, exitCode, value]);
    }
    const text = await svc(dataDir, []);
    expect([text.exitCode, text.stdout.includes("org create")]).toEqual([2, true]);
    const server = await svc(dataDir, ["start", "--json"]);
    expect([server.exitCode, server.json()]).toEqual([2, { error: expect.stringContaining("--json") }]);
  });
});

describe("version", () => {
  it("prints the version of /health, in each spelling", async () => {
    for (const args of [["version"], ["--version"]]) {
      expect(await ask(...args)).toMatchObject({ exitCode: 0, stdout: `${GATEWAY_VERSION}\n`, stderr: "" });
    }
    expect((await ask("version", "--json")).json()).toMatchObject({ version: GATEWAY_VERSION });
  });
});
