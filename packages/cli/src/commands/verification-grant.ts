import { modes } from "@tollgate/core/event";
import type { ControlStore } from "@tollgate/storage/config/control-store";
import { newId } from "@tollgate/storage/config/new-id";
import { requireOrganization } from "../accounts/require-organization.ts";
import { UsageError } from "../config/usage-error.ts";
import { withControlStore } from "../data-directory/open-store.ts";
import type { Command, CommandInput, CommandResult } from "./command.ts";
import { oneOf, optionalNumber, requireOption } from "./command-options.ts";

const MAX_COUNT = 100_000;
const MAX_REFERENCE_LENGTH = 200;

export const verificationGrant: Command = {
  name: "verification grant",
  usage: "--count N (--checkout ID | --org ID --reference R [--mode live|test])",
  summary: "adds verifications to a balance; repeating it with the same checkout or reference adds nothing",
  options: {
    org: { type: "string" },
    checkout: { type: "string" },
    count: { type: "string" },
    reference: { type: "string" },
    mode: { type: "string" },
  },
  async run(input) {
    const count = optionalNumber(input, "count");
    if (count === undefined) throw new UsageError("--count is required");
    if (count < 1 || count > MAX_COUNT) throw new UsageError(`--count must be from 1 to ${MAX_COUNT}`);
    return await withControlStore(
      input.config,
      store =>
        input.options.checkout === undefined
          ? grantByReference(store, input, count)
          : grantCheckout(store, input, count),
      { command: "svc verification grant" },
    );
  },
};

/** For the organization and mode of an open checkout. */
async function grantCheckout(
  store: ControlStore,
  input: CommandInput,
  count: number,
): Promise<CommandResult> {
  for (const name of ["org", "reference", "mode"]) {
    if (input.options[name] !== undefined)
      throw new UsageError(`--${name} cannot be combined with --checkout`);
  }
  const checkoutId = requireOption(input, "checkout");
  const { payCheckout } = await import("@tollgate/control/features/checkout/pay-checkout");
  const result = await payCheckout(
    { db: store.database.db, now: Date.now, newId },
    { checkoutId, count, reference: `checkout ${checkoutId}`, grantedBy: "cli" },
  );
  if (result === "unknown") throw new UsageError("no checkout has that id");
  const { paid_count, payment_reference } = await store.database.db
    .selectFrom("checkouts")
    .select(["paid_count", "payment_reference"])
    .where("id", "=", checkoutId)
    .executeTakeFirstOrThrow();
  if (result === "paid_before" && paid_count !== count) {
    throw new UsageError(
      `this checkout was already paid, for ${paid_count} verifications: nothing was added`,
    );
  }
  const value = {
    checkout_id: checkoutId,
    count,
    reference: payment_reference,
    granted: result === "granted",
  };
  const said = {
    granted: `${count} added to the balance`,
    unclaimed: `${count} paid; they will be added to a balance when they are claimed`,
    paid_before: `this checkout was already paid, for ${count}: nothing was added`,
  };
  return { value, text: `checkout ${checkoutId}: ${said[result]}` };
}

async function grantByReference(
  store: ControlStore,
  input: CommandInput,
  count: number,
): Promise<CommandResult> {
  const { id: orgId, name } = await requireOrganization(store, requireOption(input, "org"));
  const reference = requireOption(input, "reference");
  if (reference.length > MAX_REFERENCE_LENGTH || /\p{Cc}/u.test(reference)) {
    throw new UsageError(`--reference must be at most ${MAX_REFERENCE_LENGTH} printable characters`);
  }
  // Used for the verifications that every organization starts with.
  if (reference === "free") throw new UsageError("--reference must not be `free`");
  const mode = oneOf(input, "mode", modes) ?? "live";
  const { grant } = await import("@tollgate/control/features/checkout/grant");
  const granted = await grant(store.database.db, {
    id: newId(),
    orgId,
    mode,
    count,
    reference,
    grantedBy: "cli",
    createdAtMs: Date.now(),
  });
  if (!granted) await refuseOtherCount(store, { orgId, mode, reference }, count);
  return {
    value: { org_id: orgId, mode, count, reference, granted },
    text: `${name} (${mode}): ${granted ? `${count} added to the balance` : `reference ${reference} was already granted: nothing was added`}`,
  };
}

/** The same reference with another count is a mistake, not a repetition. */
async function refuseOtherCount(
  store: ControlStore,
  { orgId, mode, reference }: { readonly orgId: string; readonly mode: string; readonly reference: string },
  count: number,
): Promise<void> {
  const before = await store.database.db
    .selectFrom("verification_grants")
    .select("count")
    .where("org_id", "=", orgId)
    .where("mode", "=", mode)
    .where("reference", "=", reference)
    .executeTakeFirstOrThrow();
  if (before.count === count) return;
  throw new UsageError(`reference ${reference} was already granted, for ${before.count}: nothing was added`);
}
