import { expect, test } from "vitest";
import { createSendEngine } from "../../src/files/send-engine.js";

/** A package that was not installed made the first request fail with 500. */

test("first-run-a4: a missing package fails when the router is created, with the install command", () => {
  const cause = new Error("Cannot find module");
  const missing = () => {
    throw cause;
  };
  expect(() => createSendEngine(missing)).toThrow(
    new Error(
      'createFileServingRouter requires the package "@fastify/send". Install it: npm install @fastify/send',
    ),
  );
  expect(() => createSendEngine()).not.toThrow();
});
