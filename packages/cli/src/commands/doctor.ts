import { freeBytes } from "@tollgate/storage/engine/free-bytes";
import { dataFiles } from "../data-directory/data-files.ts";
import { findRunningInstance, type RunningInstance } from "../data-directory/instance.ts";
import type { Command } from "./command.ts";

export const doctor: Command = {
  name: "doctor",
  usage: "[--full] [--strict]",
  summary: "checks the installation, running or not; exits with 1 on an error (--strict: also on a warning)",
  options: { full: { type: "boolean" }, strict: { type: "boolean" } },
  async run({ config, options }) {
    const { examine } = await import("../doctor/examine.ts");
    const files = dataFiles(config.dataDir);
    const findings = await examine({
      config,
      files,
      running: instanceIn(config.dataDir),
      nowMs: Date.now(),
      freeBytes: freeBytes(files.ledger),
      depth: options.full === true ? "full" : "quick",
    });
    const countOf = (level: string) => findings.filter(finding => finding.level === level).length;
    const [errors, warnings] = [countOf("error"), countOf("warning")];
    const isTrouble = errors > 0 || (options.strict === true && warnings > 0);
    const width = Math.max(...findings.map(({ check }) => check.length));
    const lines = findings.map(
      ({ check, level, message }) => `${level.padEnd(7)}  ${check.padEnd(width)}  ${message}`,
    );
    return {
      value: { ok: !isTrouble, errors, warnings, findings },
      text: [...lines, `${counted(errors, "error")}, ${counted(warnings, "warning")}`].join("\n"),
      exitCode: isTrouble ? 1 : 0,
    };
  },
};

function instanceIn(dataDir: string): RunningInstance | null {
  try {
    return findRunningInstance(dataDir);
  } catch {
    // Another user's directory, which its own check reports.
    return null;
  }
}

function counted(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
