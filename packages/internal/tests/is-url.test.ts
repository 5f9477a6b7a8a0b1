import { expect, test } from "vitest";
import { isUrl } from "../src/security/is-url.js";

test("isUrl accepts and rejects the same texts after V8 has optimized it", () => {
  const valid = ["https://bücher.example/ä", "https://example.com", "notes://grün", "https://例え.jp"];
  const invalid = ["", "example.com", "https://", "http://a b", "//bücher.example"];
  let wrong = 0;
  for (let round = 0; round < 20_000; round++) {
    for (const text of valid) if (!isUrl(text)) wrong++;
    for (const text of invalid) if (isUrl(text)) wrong++;
  }
  expect(wrong).toBe(0);
});

test("isUrl accepts relative URLs with a base", () => {
  expect(isUrl("../grün", "https://example.com/a/b")).toBe(true);
  expect(isUrl("../grün", new URL("https://example.com/a/b"))).toBe(true);
  expect(isUrl("../grün")).toBe(false);
});
