/**
 * @fileoverview Runs the office server in grouped and flat mode, and checks that both behave the same.
 * @module examples/grouped/check
 */
import assert from "node:assert/strict";
import { catalog, type Group } from "tenon/model";
import { type Client, createClient } from "tenon/testing";
import { createApp } from "./app.js";
import { createOffice, createOfficeTools } from "./server.js";

type Expose = "grouped" | "flat";

/** Runs the example. @throws if its behavior differs from the documentation */
export async function check(): Promise<void> {
  for (const expose of ["grouped", "flat"] as const) {
    await checkLists(expose);
    await checkCalls(expose);
    await checkCatalog(expose);
  }
  await checkRegistry();
}

/** Calls an action in the given mode. */
async function act(client: Client, expose: Expose, key: string, args: object = {}) {
  const [tool = "", ...path] = key.split(".");
  const { content, isError = false } = await (expose === "flat"
    ? client.callTool([tool, ...path].join("_"), args)
    : client.callTool(tool, { action: path.join("."), ...args }));
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  return { text, isError };
}

async function checkLists(expose: Expose): Promise<void> {
  const context = createApp({ name: "Ada", role: "manager" });
  const client = await createClient(createOffice(expose), { context });
  const tools = await client.listTools();
  await client.close();
  assert.deepEqual(
    tools.map(({ name }) => name),
    expose === "grouped"
      ? ["users", "billing", "reports"]
      : [
          "users_list",
          "users_create",
          "users_ban",
          "billing_invoices_list",
          "billing_invoices_get",
          "billing_refunds_pay",
          "reports_balance",
          "reports_activity",
        ],
  );
  // A grouped tool has the hints of its most dangerous action. A flat tool has only its own hints.
  const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
  const [users, list] = [hints["users"], hints["users_list"]];
  if (expose === "grouped") assert.equal(users?.destructiveHint, true);
  else assert.equal(list?.readOnlyHint, true);
}

async function checkCalls(expose: Expose): Promise<void> {
  const app = createApp({ name: "Ada", role: "manager" });
  const server = createOffice(expose);
  const client = await createClient(server, { context: app });

  const created = await act(client, expose, "users.create", { name: "Grace", id: "u999" });
  assert.deepEqual(JSON.parse(created.text), { id: "u3", name: "Grace", role: "member" });

  const wrong = await act(client, expose, "users.create", { nmae: "Grace" });
  assert.equal(wrong.isError, true);
  assert.match(wrong.text, /^Validation failed: name: .+\n.*Did you mean "name" instead of "nmae"\?/);

  assert.deepEqual(await act(client, expose, "users.ban", { id: "u2" }), {
    text: "Alan is banned.",
    isError: false,
  });
  assert.deepEqual(await act(client, expose, "billing.refunds.pay", { invoiceId: "i2", reason: "late" }), {
    text: "[billing/refunds.pay] Invoice i2 cannot be refunded, because it has not been paid.",
    isError: true,
  });
  assert.equal(
    (await act(client, expose, "reports.balance")).text,
    "[3|]{name|paid|open|banned}:\n  Ada|4900|0|null\n  Alan|0|1200|true\n  Grace|0|0|null",
  );
  assert.deepEqual(app.audit, ["Ada: create", "Ada: ban", "Ada: refunds.pay"]);
  await client.close();

  const member = createApp({ name: "Alan", role: "member" });
  const other = await createClient(server, { context: member });
  for (const [key, args] of [
    ["users.ban", { id: "u1" }],
    ["billing.refunds.pay", { invoiceId: "i1", reason: "mine" }],
  ] as const) {
    assert.deepEqual(await act(other, expose, key, args), {
      text: "Only managers may perform this action.",
      isError: true,
    });
  }
  assert.equal(member.users.get("u1")?.banned, undefined);
  await other.close();
}

async function checkCatalog(expose: Expose): Promise<void> {
  const office = catalog(createOffice(expose));
  const namesOf = (group: Group): readonly string[] => [
    ...group.childTools.map(({ name }) => `${group.getFullyQualifiedName()}.${name}`),
    ...group.childGroups.flatMap(namesOf),
  ];
  assert.deepEqual(namesOf(office), [
    "office.users.list",
    "office.users.create",
    "office.users.ban",
    "office.billing.invoices.list",
    "office.billing.invoices.get",
    "office.billing.refunds.pay",
    "office.reports.balance",
    "office.reports.activity",
  ]);
}

/** Checks the registry without a server: filtering by tag and calling by name. */
async function checkRegistry(): Promise<void> {
  const registry = createOfficeTools();
  const filter = { tags: ["money"], exclude: ["people"] };
  const shown = registry.getTools(filter).map(({ name }) => name);
  assert.deepEqual(shown, ["billing", "reports"]);
  const app = createApp({ name: "Ada", role: "manager" });
  const { content, isError } = await registry.routeCall(app, "users", { action: "list" }, filter);
  assert.equal(isError, true);
  assert.deepEqual(content, [
    { type: "text", text: 'Unknown tool: "users". Available tools: billing, reports' },
  ]);
}
