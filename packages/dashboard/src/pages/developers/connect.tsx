import { type ClientSnippet, clientSnippets, snippetVariables } from "@tollgate/core/clients/client-snippets";
import { useState } from "react";
import { useScope } from "../../data/scope.tsx";
import { useLiveEvents } from "../../data/use-live-events.ts";
import { useOperation } from "../../data/use-operation.ts";
import { Card } from "../../parts/card.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { Detail, Details } from "../../parts/details.tsx";
import { Moment } from "../../parts/moment.tsx";
import { CallCost } from "../../parts/money.tsx";
import { Name } from "../../parts/name.tsx";
import { Loaded } from "../../parts/states.tsx";

const [first] = clientSnippets;

/** How to point a client at this gateway, with its address filled in. */
export function Connect() {
  const { mode } = useScope();
  const installation = useOperation("installation.get", {});
  const [id, setId] = useState(first?.id);
  const chosen = clientSnippets.find(snippet => snippet.id === id);
  return (
    <div className="developers-connect">
      <Card title="Connect a client" note="Only the address, the key and the headers change.">
        <Loaded query={installation}>
          {({ gateway_url }) => (
            <>
              <Details>
                <Detail title="Base address">
                  <code>{gateway_url}</code>; OpenAI-style clients need <code>/v1</code> at the end
                </Detail>
                <Detail title="API key">
                  a Tollgate key: <code>sk_test_…</code> or <code>sk_live_…</code>
                </Detail>
                <Detail title="X-Provider-Key">
                  your own provider key, which is forwarded and never stored; with a test key, any text
                </Detail>
                <Detail title="X-Agent-ID">
                  optional, like X-Session-ID and X-Customer-ID: what the cost is attributed to
                </Detail>
              </Details>
              <h3 className="developers-step">1. Keys</h3>
              <CodeBlock title="variables" text={snippetVariables(`sk_${mode}_…`)} />
              <h3 className="developers-step">2. Client</h3>
              <div className="developers-clients" role="group" aria-label="Client">
                {clientSnippets.map(snippet => (
                  <button
                    key={snippet.id}
                    type="button"
                    className="button"
                    aria-pressed={snippet.id === id}
                    onClick={() => setId(snippet.id)}
                  >
                    {snippet.title}
                  </button>
                ))}
              </div>
              {chosen && <Snippet snippet={chosen} gatewayUrl={gateway_url} />}
            </>
          )}
        </Loaded>
      </Card>
      <Arrivals />
    </div>
  );
}

function Snippet({ snippet, gatewayUrl }: { readonly snippet: ClientSnippet; readonly gatewayUrl: string }) {
  return (
    <div data-snippet={snippet.id}>
      <CodeBlock title={snippet.file ?? snippet.title} text={snippet.text(gatewayUrl)} />
      {snippet.note !== null && <p className="muted developers-note">{snippet.note}</p>}
    </div>
  );
}

const SHOWN = 5;

/** Calls that arrive while the reader tries it. */
function Arrivals() {
  const { mode } = useScope();
  const { events } = useLiveEvents({ limit: SHOWN });
  return (
    <Card title="3. Watch it arrive" note={`Calls with an sk_${mode}_ key, as they end`}>
      {events.length === 0 ? (
        <p className="muted" role="status">
          Waiting for a call…
        </p>
      ) : (
        <ul className="developers-arrivals" role="status">
          {events.map(event => (
            <li key={event.id} data-arrival={event.id}>
              <span>
                <Name name={event.agent_key} maxLength={40} />{" "}
                <span className="muted">
                  <Name name={event.model} maxLength={40} />
                </span>
              </span>
              <span>
                <CallCost event={event} /> <Moment at={event.created_at} as="second" />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
