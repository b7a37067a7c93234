/** The CPU time that this process spends on `work`, in milliseconds: unlike the time on the wall, it does not grow with the load of the machine. */
export async function cpuTimeMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
