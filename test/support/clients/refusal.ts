import { ClientError } from "@tollgate/sdk/client-error";

/** The error that a call was refused with. */
export async function refusal(call: Promise<unknown>): Promise<ClientError> {
  try {
    await call;
  } catch (fault) {
    if (fault instanceof ClientError) return fault;
    throw fault;
  }
  throw new Error("the call was not refused");
}
