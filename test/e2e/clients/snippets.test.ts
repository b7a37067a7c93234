import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type ClientSnippet, clientSnippets, snippetVariables } from "@tollgate/core/clients/client-snippets";
import { toolSnippets } from "@tollgate/core/clients/tool-snippets";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import { startTestGateway, type TestGateway } from "../../support/labs/test-gateway.ts";

const root = join(import.meta.dir, "../../..");
const standIn = join(root, "test/support/clients/coding-agent-stand-in.ts");
const pathIn = temporaryFolder();
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

/** The agent that each one names. */
const agents: Readonly<Record<string, string>> = {
  curl: "curl",
  openai: "support-bot",
  anthropic: "writer",
  "ai-sdk": "web-app",
  langchain: "researcher",
  "claude-code": "claude-code",
  codex: "codex",
  opencode: "opencode",
  aider: "aider",
};

/** A folder with the snippet as a reader would place it, and the command that uses it. */
function place({ id, language, file, text }: ClientSnippet): { folder: string; command: string } {
  const folder = pathIn(id);
  const programs = join(folder, "programs");
  mkdirSync(programs, { recursive: true });
  for (const name of ["claude", "codex", "opencode", "aider"]) {
    writeFileSync(join(programs, name), `#!/bin/sh\nexec "${process.execPath}" "${standIn}" ${name} "$@"\n`);
    chmodSync(join(programs, name), 0o755);
  }
  const placed = file ?? (language === "ts" ? "program.ts" : "commands.sh");
  writeFileSync(join(folder, basename(placed)), `${text(gateway.url)}\n`);
  const commands = {
    ts: `"${process.execPath}" program.ts`,
    sh: ". ./commands.sh",
    toml: "codex",
    json: "opencode",
  };
  return { folder, command: `${snippetVariables(gateway.testKey)}\n${commands[language]}` };
}

describe("a snippet of a client, run as it is shown", () => {
  for (const snippet of clientSnippets) {
    it(`makes a call that is attributed to its agent: ${snippet.title}`, async () => {
      const { folder, command } = place(snippet);
      const before = gateway.events().length;
      const child = Bun.spawn(["sh", "-ec", command], {
        cwd: folder,
        env: {
          PATH: `${folder}/programs:${process.env.PATH}`,
          HOME: folder,
          NODE_PATH: join(root, "node_modules"),
        },
        stdout: "pipe",
        stderr: "pipe",
      });
      const printed = await new Response(child.stderr).text();
      expect([await child.exited, printed]).toEqual([0, expect.any(String)]);
      const made = gateway.events().slice(before);
      expect(made).toMatchObject([{ agent_key: agents[snippet.id], status: "success" }]);
    });
  }
});

it("the documentation has the same snippets, with the default addresses", async () => {
  const clients = await Bun.file(join(root, "docs/clients.md")).text();
  const missing = clientSnippets.filter(
    ({ language, text }) => !clients.includes(`\`\`\`${language}\n${text("http://127.0.0.1:8787")}\n\`\`\``),
  );
  expect(missing.map(({ id }) => id)).toEqual([]);
  const openai = clientSnippets.find(({ id }) => id === "openai");
  expect(await Bun.file(join(root, "docs/getting-started.md")).text()).toContain(
    openai?.text("http://127.0.0.1:8787") ?? "no snippet",
  );
  const tools = await Bun.file(join(root, "packages/tools/README.md")).text();
  for (const { language, text } of toolSnippets) {
    expect(tools).toContain(`\`\`\`${language}\n${text("http://127.0.0.1:3000/mcp", "sk_live_…")}\n\`\`\``);
  }
});
