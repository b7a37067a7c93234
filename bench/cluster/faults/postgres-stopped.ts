import { type Fault, NOTHING_ELSE } from "./fault.ts";

export const postgresStopped: Fault = {
  name: "postgres-stopped",
  title: ({ seconds }) => `PostgreSQL stopped for ${seconds} s`,
  async strike({ cluster, options }) {
    await cluster.postgres.stop();
    await Bun.sleep(options.seconds * 1000);
    await cluster.postgres.start();
    return NOTHING_ELSE;
  },
};
