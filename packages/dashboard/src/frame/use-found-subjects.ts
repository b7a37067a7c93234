import { useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { useOperation } from "../data/use-operation.ts";
import type { SearchOption } from "../parts/search-list.tsx";

/** After the last letter, before the server is asked. */
const TYPING_MS = 250;
const MIN_LETTERS = 3;
/** Of the latest, by any part of their id; older ones are found by their whole id. */
const LATEST = 200;

export interface FoundSubject extends SearchOption {
  readonly run: () => void;
}

/** Customers, sessions, calls and agents by id. */
export function useFoundSubjects(text: string): readonly FoundSubject[] {
  const id = useSettled(text.trim());
  const enabled = id.length >= MIN_LETTERS;
  const navigate = useNavigate();
  const customers = useOperation("customers.list", { limit: LATEST }).data?.customers;
  const sessions = useOperation("sessions.list", { limit: LATEST }).data?.sessions;
  const call = useOperation("events.get", { id }, { enabled }).data;
  const customer = useOperation("customers.get", { id }, { enabled }).data;
  const session = useOperation("sessions.get", { id }, { enabled }).data;
  const ofAgent = useOperation("events.list", { agent_key: id, limit: 1 }, { enabled }).data?.events[0];
  return useMemo(() => {
    const found: FoundSubject[] = [];
    const seen = new Set<string>();
    const add = (kind: string, key: string, icon: SearchOption["icon"], run: () => void) => {
      if (seen.has(`${kind} ${key}`)) return;
      seen.add(`${kind} ${key}`);
      found.push({ id: `${kind} ${key}`, label: key, note: kind, ...(icon ? { icon } : {}), run });
    };
    const calls = (filter: { customer?: string; session?: string }) => () =>
      void navigate({ to: "/calls", search: before => ({ ...before, ...filter }) });
    if (call) {
      const callId = call.id;
      add("Call", callId, "calls", () => void navigate({ to: "/calls/$callId", params: { callId } }));
    }
    for (const { id: key } of [...(customer ? [customer] : []), ...(customers ?? [])])
      add("Customer", key, "customers", calls({ customer: key }));
    for (const { id: key } of [...(session ? [session] : []), ...(sessions ?? [])])
      add("Session", key, "sessions", calls({ session: key }));
    const agentId = ofAgent?.agent_id;
    if (agentId)
      add("Agent", ofAgent.agent_key, "agents", () => {
        void navigate({ to: "/agents/$agentId", params: { agentId } });
      });
    return found;
  }, [navigate, call, customer, customers, session, sessions, ofAgent]);
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
