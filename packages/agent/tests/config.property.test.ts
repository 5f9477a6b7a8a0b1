import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { AgentServerBuilder } from "../src/builder.js";
import { invalidPort, storagePath, validPort } from "./support/arbitraries.js";

describe("A40: configuration properties", () => {
  /**
   * **Feature: server-sdk, Property 1: Server config application**
   * **Validates: Requirements 1.1, 1.2**
   */
  test("A18: P1: a valid port and path are used exactly", () => {
    fc.assert(
      fc.property(validPort, storagePath, (port, path) => {
        const { config } = new AgentServerBuilder().port(port).storagePath(path).build();
        expect(config).toEqual({ port, storagePath: path });
      }),
      { numRuns: 200 },
    );
  });

  /**
   * **Feature: server-sdk, Property 2: Invalid config rejection**
   * **Validates: Requirements 1.4**
   */
  test("A19: P2: an invalid port throws a ZodError with a descriptive message", () => {
    const fractional = fc.double({ noInteger: true });
    fc.assert(
      fc.property(fc.oneof(invalidPort, fractional), (port) => {
        expectRefusal(new AgentServerBuilder().port(port), "Port must be between 1 and 65535");
      }),
      { numRuns: 200 },
    );
  });

  /**
   * **Feature: server-sdk, Property 2: Invalid config rejection**
   * **Validates: Requirements 1.4**
   */
  test("A19: P2: a path with a control character throws a ZodError with a descriptive message", () => {
    const control = fc.integer({ min: 0, max: 31 }).map((code) => String.fromCharCode(code));
    fc.assert(
      fc.property(fc.string(), control, fc.string(), (before, character, after) => {
        const builder = new AgentServerBuilder().storagePath(`${before}${character}${after}`);
        expectRefusal(builder, "Storage path must be a valid string");
      }),
      { numRuns: 200 },
    );
  });
});

function expectRefusal(builder: AgentServerBuilder, message: string): void {
  try {
    builder.build();
  } catch (error) {
    expect(error).toBeInstanceOf(z.ZodError);
    expect(new Set((error as z.ZodError).issues.map((issue) => issue.message))).toEqual(new Set([message]));
    return;
  }
  expect.unreachable("the configuration was accepted");
}
