/**
 * @fileoverview Tests the echo resource's registration on a real server: metadata and failures.
 * @module tests/mcp-server/resources/echoResource/registration.test
 */
import { createClient } from "tenon/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { registerEchoResource } from "../../../../src/mcp-server/resources/echoResource/index.js";
import { logged } from "../../../support/log.js";
import { createTestServer } from "../../../support/serving.js";

describe("the echo resource's registration", () => {
  let server: ReturnType<typeof createTestServer>;

  beforeEach(async () => {
    server = createTestServer();
    await registerEchoResource(server);
  });

  it("publishes the template, title, and description without running the handler", async () => {
    const client = await createClient(server.build());
    expect(await client.listResourceTemplates()).toMatchObject([
      {
        name: "echo",
        uriTemplate: "echo://{message}",
        title: "Echo",
        mimeType: "application/json",
      },
    ]);
  });

  it("throws if the name is already registered", async () => {
    await expect(registerEchoResource(server)).rejects.toMatchObject({
      code: "INITIALIZATION_FAILED",
    });
    expect(logged.at(-1)).toMatchObject({
      level: "crit",
      context: { operation: "RegisterResource" },
    });
  });

  it("catches an error from the logic and logs it with its context", async () => {
    const client = await createClient(server.build());
    await expect(client.readResource(`echo://${"a".repeat(1001)}`)).rejects.toThrow(
      "The message must be 1 to 1000 characters long, percent-encoded.",
    );
    const errors = logged.filter(({ level }) => level === "error");
    expect(errors).toMatchObject([{ context: { operation: "HandleResourceRead" } }]);
  });
});
