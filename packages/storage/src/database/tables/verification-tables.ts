import { checkoutProviders } from "@tollgate/core/contract/checkout";
import { modes, pairKinds, taskCategories } from "@tollgate/core/event";
import { graders } from "@tollgate/core/verification/grading/grade";
import {
  evidenceModes,
  requestEndReasons,
  requestStatuses,
  trialStatuses,
  verdictNames,
} from "@tollgate/core/verification/vocabulary";
import { integer, oneOf, orNull, real, type TableDeclarations, text } from "../../engine/columns.ts";

/** Verifications, their verdicts, and how they are paid for. */
export const verificationTables = {
  /** Verification settings; `quick` and `standard` are built in and have no row. */
  verification_policies: {
    id: text,
    org_id: text,
    name: text,
    margin: real,
    max_pairs: integer,
    max_spend_microcents: integer,
    share_pct: integer,
    /** null: the strongest model that is not being compared. */
    judge_model: orNull(text),
    evidence_mode: oneOf(evidenceModes),
    created_at: integer,
    updated_at: integer,
  },
  /** A requested verification. The gateway samples calls for those that are collecting. */
  verification_requests: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    /** Both null: every agent that calls the production model. */
    agent_id: orNull(text),
    agent_key: orNull(text),
    prod_provider: text,
    prod_model: text,
    candidate_provider: text,
    candidate_model: text,
    /** Both null if there is no judge: the evidence is an experiment, or was captured. */
    judge_provider: orNull(text),
    judge_model: orNull(text),
    policy_id: text,
    evidence_mode: oneOf(evidenceModes),
    share_pct: integer,
    max_pairs: integer,
    max_spend_microcents: integer,
    /** Determines which calls are sampled, and which pairs are controls. */
    seed: text,
    status: oneOf(requestStatuses),
    trial_id: text,
    verdict_id: orNull(text),
    end_reason: orNull(oneOf(requestEndReasons)),
    created_by: text,
    created_at: integer,
    expires_at: integer,
    ended_at: orNull(integer),
  },
  /** Registered before the first pair. `plan` is canonical JSON, and never changes. */
  verification_trials: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    request_id: text,
    plan: text,
    plan_hash: text,
    status: oneOf(trialStatuses),
    void_reason: orNull(text),
    verdict_id: orNull(text),
    registered_at: integer,
    ended_at: orNull(integer),
  },
  verification_progress: {
    request_id: text,
    pairs: integer,
    controls: integer,
    /** Cost of all shadow and judge calls, graded or not. */
    spent_microcents: integer,
    /** JSON: the running state of the trial. */
    state: text,
    updated_at: integer,
  },
  /** The numbers of a graded pair. Neither request nor answers are stored anywhere. */
  verification_pairs: {
    request_id: text,
    /** The production call's event, or the sender's id of a captured pair. */
    pair_id: text,
    /** From 1, in ledger order. */
    position: integer,
    kind: oneOf(pairKinds),
    session_id: orNull(text),
    category: oneOf(taskCategories),
    score: real,
    grader: oneOf(graders),
    /** 0: it came after the end, or after its session was counted. */
    is_counted: integer,
    /** JSON: status, cost, latency, tokens and served name of each of the two calls. */
    prod: text,
    candidate: text,
    judge_microcents: integer,
    created_at: integer,
  },
  verdicts: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    request_id: text,
    trial_id: text,
    agent_id: orNull(text),
    agent_key: orNull(text),
    prod_model: text,
    candidate_model: text,
    /** null: all categories together, which decides. */
    task_category: orNull(oneOf(taskCategories)),
    verdict: oneOf(verdictNames),
    evidence_mode: oneOf(evidenceModes),
    /** JSON: `verdictResult` of the contract. */
    result: text,
    judge_model: orNull(text),
    concluded_at: integer,
    expires_at: integer,
    /** Before it expires: a model has changed, or the switch was undone. */
    invalidated_at: orNull(integer),
    invalid_reason: orNull(text),
  },
  /** Append-only. The balance is the sum of grants minus the number of charges. */
  verification_grants: {
    id: text,
    org_id: text,
    mode: oneOf(modes),
    count: integer,
    /** A reference can grant only once. */
    reference: text,
    granted_by: text,
    created_at: integer,
  },
  verification_charges: { request_id: text, org_id: text, mode: oneOf(modes), created_at: integer },
  /** A purchase of verifications. It becomes a grant once it is paid for and has an organization, in either order. */
  checkouts: {
    /** Identifies its page, which needs no sign-in, so it must not be guessable. */
    id: text,
    /** null: bought without a key, and not claimed yet. */
    org_id: orNull(text),
    mode: oneOf(modes),
    provider: oneOf(checkoutProviders),
    /** null: the operator sets the price. */
    unit_price_cents: orNull(integer),
    callback_url: orNull(text),
    /** null: no claim is needed. */
    claim_digest: orNull(text),
    opened_by: text,
    claimed_by: orNull(text),
    paid_count: orNull(integer),
    /** The grant's reference. */
    payment_reference: orNull(text),
    paid_at: orNull(integer),
    created_at: integer,
    expires_at: integer,
  },
} as const satisfies TableDeclarations;
