import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ServerConfigSchema } from "../src/config.js";

const PORT = "Port must be between 1 and 65535";
const PATH = "Storage path must be a valid string";
const HEARTBEAT = "`heartbeatInterval` must be an integer from 1 to 2147483647 (milliseconds)";

describe("the configuration of an agent server", () => {
  test("A3: every setting has a default or is optional", () => {
    expect(ServerConfigSchema.parse({})).toEqual({ port: 10_013, storagePath: "./storage" });
  });

  test("A3: given values are kept", () => {
    const config = { port: 8080, storagePath: "/data", maxConnections: 5, heartbeatInterval: 1_000 };
    expect(ServerConfigSchema.parse(config)).toEqual(config);
  });

  test.each([1, 80, 10_013, 65_535])("A18: port %s is used as given", (port) => {
    expect(ServerConfigSchema.parse({ port }).port).toBe(port);
  });

  test.each([0, -1, 65_536, 1.5, NaN, Infinity, -0.5, 1e300, "8080", null, {}])(
    "A31: port %s is rejected with the text of the table",
    (port) => {
      expect(messagesOf({ port })).toEqual([PORT]);
    },
  );

  test.each(["./storage", "/var/lib/amigo", "C:\\data", "daten/日本", "a b"])(
    "A18: path %j is used as given",
    (storagePath) => {
      expect(ServerConfigSchema.parse({ storagePath }).storagePath).toBe(storagePath);
    },
  );

  test.each(["", "a\0b", "a\nb", "\u007f", "a\u0085b", "x".repeat(4_097), 7, null, ["a"]])(
    "A32, C-i9: path %j is rejected with the text of the table",
    (storagePath) => {
      expect(messagesOf({ storagePath })).toEqual([PATH]);
    },
  );

  test.each([0, -1, 1.5, "3"])("maxConnections %s is rejected", (maxConnections) => {
    expect(messagesOf({ maxConnections })).toEqual([
      `\`maxConnections\` must be a positive integer; got ${JSON.stringify(maxConnections)}.`,
    ]);
  });

  test.each([0, -1, 0.5, 2_147_483_648])(
    "heartbeatInterval %s is rejected, because a timer would fire immediately",
    (heartbeatInterval) => {
      expect(messagesOf({ heartbeatInterval })).toEqual([`${HEARTBEAT}; got ${heartbeatInterval}.`]);
    },
  );

  test("A19: all invalid settings are reported together", () => {
    expect(messagesOf({ port: 0, storagePath: "" })).toEqual([PORT, PATH]);
  });
});

/** Returns the distinct messages for a configuration. */
function messagesOf(config: unknown): readonly string[] {
  const { error } = ServerConfigSchema.safeParse(config);
  expect(error).toBeInstanceOf(z.ZodError);
  return [...new Set(error?.issues.map(({ message }) => message))];
}
