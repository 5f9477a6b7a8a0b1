/**
 * @fileoverview Tests the temperature tool's registration on a real server: metadata and failures.
 * @module tests/mcp-server/tools/temperatureTool/registration.test
 */
import { createClient } from "tenon/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { registerTemperatureTool } from "../../../../src/mcp-server/tools/temperatureTool/index.js";
import { logged } from "../../../support/log.js";
import { createTestServer } from "../../../support/serving.js";

describe("the temperature tool's registration", () => {
  let server: ReturnType<typeof createTestServer>;

  beforeEach(async () => {
    server = createTestServer();
    await registerTemperatureTool(server);
  });

  it("publishes the title, description, and schemas without running the handler", async () => {
    const client = await createClient(server.build());
    expect(await client.listTools()).toMatchObject([
      {
        name: "get_temperature",
        title: "Get Temperature",
        description: "Gets the current air temperature at the given coordinates.",
        annotations: { readOnlyHint: true, openWorldHint: true },
        inputSchema: { required: ["latitude", "longitude"] },
      },
    ]);
  });

  it("throws if the name is already registered", async () => {
    await expect(registerTemperatureTool(server)).rejects.toMatchObject({
      code: "INITIALIZATION_FAILED",
    });
    expect(logged.at(-1)).toMatchObject({ level: "crit", context: { operation: "RegisterTool" } });
  });

  it("logs a call that its input schema rejects", async () => {
    const client = await createClient(server.build());
    const result = await client.callTool("get_temperature", { latitude: 91, longitude: 0 });
    expect(result.isError).toBe(true);
    expect(logged).toContainEqual(
      expect.objectContaining({
        level: "info",
        message:
          "tools/call get_temperature was rejected: its arguments do not match the input schema.",
        context: expect.objectContaining({ toolName: "get_temperature" }),
      }),
    );
  });
});
