import { fail } from "@tollgate/core/errors";
import { commonPasswords } from "./common-passwords.ts";

const PRODUCT = "tollgate";
const MIN_DISTINCT_CHARACTERS = 4;
/** Bounds the work for an address made of dots. */
const MAX_NAME_PARTS = 12;
/** Keyboard runs. */
const rows = [
  "abcdefghijklmnopqrstuvwxyz",
  "01234567890",
  "qwertyuiop",
  "asdfghjkl",
  "zxcvbnm",
  "1qaz2wsx3edc4rfv5tgb",
  "1q2w3e4r5t6y7u8i9o0p",
];
const runs = rows.flatMap(row => [row, reversed(row)]);

/** Refuses the passwords that attackers try first: a lock-out after ten failures does not protect those. */
export function refuseCommonPassword(password: string, email: string): void {
  const text = folded(password);
  const joined = text.replace(/[^\p{L}\p{N}@$]/gu, "");
  const bare = lettersAndDigits(text);
  const words = new Set([text, joined, bare].flatMap(wordsIn));
  if (namesIn(email).some(name => bare === name || wordsIn(name).some(word => words.has(word)))) {
    throw fail("invalid_request", "password: must be more than a part of your e-mail address");
  }
  if (words.has(PRODUCT)) throw fail("invalid_request", "password: must be more than the product's name");
  // If a password is mostly punctuation, the rest says nothing about its strength.
  const isSpaced = joined.length * 2 >= text.length;
  if (
    [...words].some(word => commonPasswords.has(word)) ||
    isPattern(text) ||
    (isSpaced && isPattern(joined))
  ) {
    throw fail("invalid_request", "password: this password is too common; choose another");
  }
}

/** Normalizes look-alikes: lower case, no accents, ordinary width, no invisible characters. */
function folded(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f\p{Default_Ignorable_Code_Point}]/gu, "")
    .toLowerCase();
}

function lettersAndDigits(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, "");
}

/**
 * The words inside, forwards and backwards: without surrounding digits and signs, and with inner digits and signs
 * read as letters. A leading or trailing `@` or `$` may be a letter or a sign.
 */
function wordsIn(text: string): string[] {
  return [/^[^a-z@$]+|[^a-z@$]+$/g, /^[^a-z]+|[^a-z]+$/g]
    .map(around => asLetters(text.replace(around, "")))
    .filter(word => word !== "")
    .flatMap(word => [word, reversed(word)]);
}

function asLetters(text: string): string {
  return [...text].map(character => lookalikes[character] ?? character).join("");
}

const lookalikes: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "!": "i",
  "@": "a",
  $: "s",
};

/** Every run of its parts: for `admin@mail.example.org` also `admin@mail`, `example.org` and `example`. */
function namesIn(email: string): string[] {
  const parts = folded(email)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(part => part !== "")
    .slice(0, MAX_NAME_PARTS);
  return parts.flatMap((_, from) =>
    parts.slice(from).map((_, more) => parts.slice(from, from + more + 1).join("")),
  );
}

/** `aaaaaaaa`, `12341234`, `abcdefgh`, `9876543210`, `abcd1234`. */
function isPattern(text: string): boolean {
  if (new Set(text).size < MIN_DISTINCT_CHARACTERS) return true;
  if (/^(.{1,8})\1+$/u.test(text)) return true;
  const parts = text.match(/\d+|\D+/g) ?? [];
  return isRun(text) || (parts.length <= 2 && parts.every(isRun));
}

function isRun(text: string): boolean {
  return new Set(text).size === 1 || runs.some(run => run.includes(text));
}

function reversed(text: string): string {
  return [...text].toReversed().join("");
}
