/** Leads in its own process, and prints when it does and when it no longer does. */
import { leadByLock } from "@tollgate/storage/engine/lead-by-lock";

const [url = ""] = process.argv.slice(2);
await leadByLock(url, new AbortController().signal, {
  async work(signal) {
    process.stdout.write("leads\n");
    await new Promise<void>(resolve => signal.addEventListener("abort", () => resolve()));
    process.stdout.write("ended\n");
  },
});
