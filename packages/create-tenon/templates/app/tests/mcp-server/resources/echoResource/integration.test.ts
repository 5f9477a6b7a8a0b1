/**
 * @fileoverview Tests the echo resource end to end, with official clients on a real port.
 * @module tests/mcp-server/resources/echoResource/integration.test
 */
import { describe, expect, it } from "vitest";
import { OFFICIAL_CLIENTS } from "../../../support/officialClients.js";
import { serveForTest } from "../../../support/serving.js";

describe.each(OFFICIAL_CLIENTS)("echo://, read by the official client %s", (_, connect) => {
  it("returns the message as a blob", async () => {
    const client = await connect((await serveForTest()).url);
    const uri = "echo://Gr%C3%BC%C3%9Fe%20an%20alle";
    const { contents } = await client.readResource({ uri });
    expect(contents).toEqual([{ uri, mimeType: "application/json", blob: expect.any(String) }]);
    const [{ blob } = { blob: "" }] = contents as { blob: string }[];
    const content: unknown = JSON.parse(Buffer.from(blob, "base64").toString());
    expect(content).toEqual({ message: "Grüße an alle", requestUri: uri });
  });

  it("rejects a message that is too long and states the limit", async () => {
    const client = await connect((await serveForTest()).url);
    await expect(client.readResource({ uri: `echo://${"a".repeat(1001)}` })).rejects.toThrow(
      "The message must be 1 to 1000 characters long, percent-encoded.",
    );
  });

  it.each(["echo://%", "echo://%C3%28"])(
    "rejects %s, which is not valid percent-encoding",
    async (uri) => {
      const client = await connect((await serveForTest()).url);
      await expect(client.readResource({ uri })).rejects.toThrow(/data is invalid/);
    },
  );

  it.each(["echo://", "other://hi"])("does not find %s", async (uri) => {
    const client = await connect((await serveForTest()).url);
    await expect(client.readResource({ uri })).rejects.toThrow(/not found/);
  });
});
