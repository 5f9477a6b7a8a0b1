import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AgentServerBuilder } from "../src/builder.js";
import { AgentServer } from "../src/server.js";
import { messages, storagePath, tools, validPort } from "./support/arbitraries.js";

type Step = (builder: AgentServerBuilder) => object;

describe("builder properties", () => {
  /**
   * **Feature: server-sdk, Property 9: Builder chaining**
   * **Validates: Requirements 4.1**
   */
  test("A26: P9: every method returns the same builder, in any order", () => {
    const model = () => expect.unreachable();
    const setting: fc.Arbitrary<Step> = fc.oneof(
      validPort.map(
        (port): Step =>
          (builder) =>
            builder.port(port),
      ),
      storagePath.map(
        (path): Step =>
          (builder) =>
            builder.storagePath(path),
      ),
      fc.nat().map(
        (count): Step =>
          (builder) =>
            builder.maxConnections(count),
      ),
      fc.nat().map(
        (ms): Step =>
          (builder) =>
            builder.heartbeatInterval(ms),
      ),
      fc.constant<Step>((builder) => builder.model(model)),
    );
    const steps = fc.tuple(fc.array(setting), tools, messages).chain(([settings, someTools, someMessages]) =>
      fc.shuffledSubarray([
        ...settings,
        ...someTools.map(
          (tool): Step =>
            (builder) =>
              builder.registerTool(tool),
        ),
        ...someMessages.map(
          (message): Step =>
            (builder) =>
              builder.registerMessage(message),
        ),
      ]),
    );
    fc.assert(
      fc.property(steps, (list) => {
        const builder = new AgentServerBuilder();
        for (const step of list) expect(step(builder)).toBe(builder);
      }),
      { numRuns: 100 },
    );
  });

  /**
   * **Feature: server-sdk, Property 10: Builder produces server**
   * **Validates: Requirements 4.2**
   */
  test("A27: P10: build returns a server with the collected configuration", () => {
    const config = fc.record(
      {
        port: validPort,
        storagePath,
        maxConnections: fc.integer({ min: 1 }),
        heartbeatInterval: fc.integer({ min: 1 }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(config, (settings) => {
        const builder = new AgentServerBuilder();
        if (settings.port !== undefined) builder.port(settings.port);
        if (settings.storagePath !== undefined) builder.storagePath(settings.storagePath);
        if (settings.maxConnections !== undefined) builder.maxConnections(settings.maxConnections);
        if (settings.heartbeatInterval !== undefined) builder.heartbeatInterval(settings.heartbeatInterval);
        const server = builder.build();
        expect(server).toBeInstanceOf(AgentServer);
        expect(server.config).toEqual({ port: 10_013, storagePath: "./storage", ...settings });
      }),
      { numRuns: 200 },
    );
  });

  /**
   * **Feature: server-sdk, Property 11: Registry accumulation**
   * **Validates: Requirements 4.3, 4.4**
   */
  test("A28: P11: N tools and M messages result in a server with exactly N and M", () => {
    fc.assert(
      fc.property(tools, messages, (someTools, someMessages) => {
        const server = build(someTools, someMessages);
        expect(server.tools.size).toBe(someTools.length);
        expect(server.messages.size).toBe(someMessages.length);
        expect(server.tools.getAll()).toEqual(someTools);
        expect(server.messages.getAll()).toEqual(someMessages);
      }),
      { numRuns: 100 },
    );
  });

  /**
   * **Feature: server-sdk, Property 13: Registry retrieval correctness**
   * **Validates: Requirements 6.4**
   */
  test("A30: P13: a server returns the exact definitions that were registered", () => {
    fc.assert(
      fc.property(tools, messages, (someTools, someMessages) => {
        const server = build(someTools, someMessages);
        for (const tool of someTools) expect(server.tools.get(tool.name)).toBe(tool);
        for (const message of someMessages) expect(server.messages.get(message.type)).toBe(message);
      }),
      { numRuns: 100 },
    );
  });
});

function build(
  someTools: readonly Parameters<AgentServerBuilder["registerTool"]>[0][],
  someMessages: readonly Parameters<AgentServerBuilder["registerMessage"]>[0][],
) {
  const builder = new AgentServerBuilder();
  for (const tool of someTools) builder.registerTool(tool);
  for (const message of someMessages) builder.registerMessage(message);
  return builder.build();
}
