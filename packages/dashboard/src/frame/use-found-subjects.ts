import { useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { useOperation } from "../data/use-operation.ts";
import { plainName } from "../format/name.ts";
import type { SearchOption } from "../parts/search-list.tsx";

/** After the last letter, before the server is asked. */
const TYPING_MS = 250;
const MIN_LETTERS = 3;
/** Of the latest, by any part of their id; older ones are found by their whole id. */
const LATEST = 200;
const FOUND_AGENTS = 10;

export interface FoundSubject extends SearchOption {
  readonly run: () => void;
}

/** Customers, sessions and calls by id, agents by name or key. */
export function useFoundSubjects(text: string): readonly FoundSubject[] {
  const id = useSettled(text.trim());
  const enabled = id.length >= MIN_LETTERS;
  const navigate = useNavigate();
  const customers = useOperation("customers.list", { limit: LATEST }).data?.customers;
  const sessions = useOperation("sessions.list", { limit: LATEST }).data?.sessions;
  const call = useOperation("events.get", { id }, { enabled }).data;
  const customer = useOperation("customers.get", { id }, { enabled }).data;
  const session = useOperation("sessions.get", { id }, { enabled }).data;
  const agents = useOperation("agents.list", { search: id, limit: FOUND_AGENTS }, { enabled }).data?.agents;
  return useMemo(() => {
    const found: FoundSubject[] = [];
    const seen = new Set<string>();
    const add = (kind: string, key: string, icon: SearchOption["icon"], run: () => void) => {
      if (seen.has(`${kind} ${key}`)) return;
      seen.add(`${kind} ${key}`);
      found.push({ id: `${kind} ${key}`, label: key, note: kind, ...(icon ? { icon } : {}), run });
    };
    if (call) {
      const callId = call.id;
      add("Call", callId, "calls", () => void navigate({ to: "/calls/$callId", params: { callId } }));
    }
    for (const { id: key } of [...(customer ? [customer] : []), ...(customers ?? [])])
      add("Customer", key, "customers", () => {
        void navigate({ to: "/customers/$customerId", params: { customerId: key } });
      });
    for (const { id: key } of [...(session ? [session] : []), ...(sessions ?? [])])
      add("Session", key, "sessions", () => {
        void navigate({ to: "/sessions/$sessionId", params: { sessionId: key } });
      });
    for (const { id: agentId, name, agent_key } of agents ?? [])
      add("Agent", agentLabel(name, agent_key), "agents", () => {
        void navigate({ to: "/agents/$agentId", params: { agentId } });
      });
    return found;
  }, [navigate, call, customer, customers, session, sessions, agents]);
}

/** By its name, with the key that calls name it by. */
export function agentLabel(name: string, agentKey: string): string {
  return name === agentKey ? plainName(name) : `${plainName(name)} (${plainName(agentKey)})`;
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
