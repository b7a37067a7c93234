/** How clients of the tool server reach the hosted one. `packages/tools/README.md` contains these, with the default address. */
export interface ToolSnippet {
  readonly id: string;
  readonly title: string;
  readonly language: "sh" | "json";
  readonly file: string | null;
  text(mcpUrl: string, key: string): string;
}

export const toolSnippets: readonly ToolSnippet[] = [
  {
    id: "claude-code",
    title: "Claude Code",
    language: "sh",
    file: null,
    text: (mcpUrl, key) =>
      `claude mcp add --transport http tollgate ${mcpUrl} --header "Authorization: Bearer ${key}"`,
  },
  {
    id: "vs-code",
    title: "VS Code",
    language: "json",
    file: ".vscode/mcp.json",
    text: mcpUrl => `{
  "servers": {
    "tollgate": {
      "type": "http",
      "url": "${mcpUrl}",
      "headers": { "Authorization": "Bearer \${input:tollgate-key}" }
    }
  },
  "inputs": [{ "id": "tollgate-key", "type": "promptString", "description": "Tollgate API key", "password": true }]
}`,
  },
];
