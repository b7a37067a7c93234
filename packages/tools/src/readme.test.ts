import { describe, expect, it } from "bun:test";
import { leakChecks } from "@tollgate/core/leaks/finding";
import { costLeakScan } from "./prompts/cost-leak-scan.ts";
import { prompts } from "./prompts.ts";
import { surfaces } from "./surfaces.ts";

describe("README.md", async () => {
  const text = await Bun.file(`${import.meta.dir}/../README.md`).text();

  it("lists every tool of the package in order, and which of them change something", () => {
    const rows = text
      .split("\n")
      .map(line => line.split("|").map(cell => cell.trim()))
      .filter(([, , tool]) => tool?.startsWith("`svc_"))
      .map(([, , tool = "", , changes]) => [tool.replaceAll("`", ""), changes === "yes"] as const);
    expect(rows).toEqual(
      surfaces.stdio.map(({ name, annotations }) => [name, !annotations.readOnlyHint] as const),
    );
  });

  it("names every prompt", () => {
    for (const { name } of prompts) expect(text).toContain(`\`${name}\``);
  });
});

it("the prompt for a leak scan names all seven checks by the names that the scan answers with", () => {
  for (const check of leakChecks) expect(costLeakScan.text({})).toContain(check);
});
