import { describe, expect, test } from "vitest";
import { countBlocks } from "../../../../tests/support/block-counts.js";

/**
 * Creates a tool with the given number of actions and the parts of a real one: groups, middleware, common fields, and
 * in every schema a definition under a name that all schemas share. The schemas use no library, because its work would
 * not be counted.
 */
const PROGRAM = `
  import { createTool } from "tenon/grouped";
  import { defineServer } from "tenon";
  const toSchema = (json) => {
    const convert = () => json;
    const validate = (value) => ({ value });
    return { "~standard": { version: 1, vendor: "plain", validate, jsonSchema: { input: convert, output: convert } } };
  };
  const text = { type: "string" };
  const common = toSchema({ type: "object", properties: { tenant: text, page: text }, required: ["tenant"] });
  const schemaOf = (index) =>
    toSchema({
      type: "object",
      properties: { id: text, ["tree" + index]: { $ref: "#/$defs/node" } },
      required: ["id"],
      $defs: { node: { type: "object", properties: { ["value" + index]: text, next: { $ref: "#/$defs/node" } } } },
    });
  const handler = () => "done";
  const IN_GROUP = 10;
  const create = (count) => {
    const tool = createTool("big").commonSchema(common);
    for (let first = 0; first < count; first += IN_GROUP) {
      tool.group("group" + first / IN_GROUP, (group) => {
        group.use((ctx, args, next) => next());
        for (let index = first; index < first + IN_GROUP; index++) {
          group.action({ name: "action" + index, description: "d", schema: schemaOf(index), handler });
        }
      });
    }
    return tool;
  };
`;

const building = (then: string) => (count: number) =>
  `${PROGRAM}
  const work = async () => void create(${count}).${then};`;

const calling = (call: string) => (count: number) => `${PROGRAM}
  const tool = create(${count});
  const serve = (expose) => defineServer({ name: "a", version: "1" }).tools(tool, { expose }).build();
  const last = "group${count / 10 - 1}.action${count - 1}";
  const args = { tenant: "t", id: "1" };
  const callOn = (server, name, args) => () =>
    server.handle({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });
  const call = ${call};
  const work = async () => {
    const result = await call();
    const said = "toText" in result ? result.toText() : JSON.stringify(result);
    if (!said.includes("done")) throw new Error("it did not run: " + said);
  };
`;

describe("a grouped tool's cost, in executed blocks", () => {
  test.each([
    ["a build", building("buildToolDefinition()"), 5_000],
    ["building the flat tools", building('getCallableTools("flat")'), 1_000],
    ["introspection", building("getActionMetadata()"), 1_000],
  ])("F14: %s grows at most linearly with the number of actions", async (_what, program, count) => {
    const [few, many] = await Promise.all([countBlocks(program(count / 10)), countBlocks(program(count))]);
    expect(many / few).toBeGreaterThan(9);
    expect(many / few).toBeLessThan(11.5);
  });

  test.each([
    ["execute()", calling("() => tool.execute(undefined, { action: last, ...args })")],
    ["a server", calling('callOn(serve("grouped"), "big", { action: last, ...args })')],
    [
      "a server that exposes it flat",
      calling('callOn(serve("flat"), "big_" + last.replace(".", "_"), args)'),
    ],
  ])("F14, F49, F56: a call through %s costs the same with 10 actions and 5,000", async (_what, program) => {
    const [few, many] = await Promise.all([countBlocks(program(10)), countBlocks(program(5_000))]);
    expect(few).toBeGreaterThan(10);
    expect(many).toBe(few);
  });
});
