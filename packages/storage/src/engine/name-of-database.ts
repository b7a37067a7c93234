/** Host, port and name of a PostgreSQL, without the credentials. */
export function nameOfDatabase(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `PostgreSQL at ${hostname}:${port || "5432"}${pathname}`;
}
