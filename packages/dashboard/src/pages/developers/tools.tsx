import { toolSnippets } from "@tollgate/core/clients/tool-snippets";
import { useScope } from "../../data/scope.tsx";
import { useOperation } from "../../data/use-operation.ts";
import { Card } from "../../parts/card.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { Detail, Details } from "../../parts/details.tsx";
import { Loaded } from "../../parts/states.tsx";

/** How AI agents reach the tool server. */
export function Tools() {
  const { mode } = useScope();
  const installation = useOperation("installation.get", {});
  return (
    <Card
      title="Tools for AI agents"
      note="Over the Model Context Protocol, agents see what they cost, find waste, and can fix it."
    >
      <Loaded query={installation}>
        {({ mcp_url, web_url }) => (
          <div className="developers-tools">
            <Details>
              <Detail title="Address">
                <code>{mcp_url}</code>
              </Detail>
              <Detail title="Key">
                a read-only key can use the tools that read; the others need a key with full access. Each key
                sees its own traffic, live or test.
              </Detail>
            </Details>
            {toolSnippets.map(({ id, title, file, text }) => (
              <CodeBlock
                key={id}
                title={file === null ? title : `${title}: ${file}`}
                text={text(mcp_url, `sk_${mode}_…`)}
              />
            ))}
            <CodeBlock
              title="Clients that start a program: mcpServers"
              text={`{
  "mcpServers": {
    "tollgate": {
      "command": "svc-mcp",
      "env": { "SVC_API_KEY": "sk_${mode}_…", "SVC_API_URL": "${web_url}/api" }
    }
  }
}`}
            />
          </div>
        )}
      </Loaded>
    </Card>
  );
}
