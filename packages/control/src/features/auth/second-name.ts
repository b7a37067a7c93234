/** An undeliverable name, for an account whose address another account has. */
export function newSecondName(): string {
  return `${crypto.randomUUID()}@account.invalid`;
}
