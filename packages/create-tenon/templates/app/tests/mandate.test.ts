/**
 * @fileoverview Fails if a file breaks the rules in the README: layout, JSDoc, and error handling.
 * @module tests/mandate.test
 */
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { checkMandate } from "./support/mandate.js";

it("every file follows the rules in the README", () => {
  expect(checkMandate(fileURLToPath(new URL("..", import.meta.url)))).toEqual([]);
});
