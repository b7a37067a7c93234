/** Sends a request to the web API. If there is no answer, the browser's own message ("Failed to fetch") says too little. */
export async function askServer(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (cause) {
    const isLate = cause instanceof Error && cause.name === "TimeoutError";
    throw new Error(isLate ? "The server did not answer in time" : UNREACHABLE, { cause });
  }
}

const UNREACHABLE =
  "The server cannot be reached. Check that it is running and that this device is connected to it";
