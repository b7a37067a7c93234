import { fail, TollgateError } from "@tollgate/core/errors";
import { takeNotice } from "../../features/checkout/take-notice.ts";
import type { AppParts } from "../http/app-parts.ts";
import type { RequestRates } from "../http/request-rates.ts";

/** Real ones have a few kilobytes, and a stranger must not be able to fill our memory. */
const MAX_NOTICE_BYTES = 1_048_576;

/** A notice of the payment provider, as raw bytes, because those are signed. Answered once its grant is committed. */
export async function answerNotice(
  request: Request,
  peer: string | null,
  { control, bodies, log }: Pick<AppParts, "control" | "bodies" | "log">,
  rates: RequestRates,
): Promise<Response> {
  const { readNotice } = control.checkout;
  if (readNotice === undefined) throw fail("not_found", "Not found");
  const bytes = await bodies.read(request, "", MAX_NOTICE_BYTES);
  const payment = await readNotice(bytes, request.headers.get("stripe-signature")).catch(fault => {
    // Only invalid notices count, so that impostors cannot block the provider.
    if (fault instanceof TollgateError) rates.admitStranger(request, peer);
    throw fault;
  });
  if (payment !== null) await takeNotice(control, payment, log);
  return Response.json({ received: true });
}
