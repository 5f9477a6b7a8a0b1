/**
 * @fileoverview Twenty tools with realistic arguments, for servers that are created for every request.
 * @module bench/servers/sdk/tools
 */
import { z } from "zod";

/** One tool, independent of the SDK. */
export interface SdkTool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** Returns the text of the result. The arguments are already validated. */
  readonly run: (args: Readonly<Record<string, unknown>>) => string;
}

const THINGS = ["customer", "invoice", "product", "shipment", "ticket", "user"] as const;

/** Number of tools that `createTools` returns. */
export const TOOL_COUNT = 20;

/** Creates the tools with their schemas: the tools of an API, such as `search_customers` and `update_invoice`. */
export function createTools(): readonly SdkTool[] {
  const others = THINGS.flatMap((thing) => [search(thing), create(thing), update(thing)]);
  return [createOrder(), ...others, report()];
}

function createOrder(): SdkTool {
  return {
    name: "order",
    description: "Orders a product for a customer. Returns a summary of the order.",
    input: z.object({
      customer: z.string().min(3).describe("Name of the customer"),
      quantity: z.number().int().min(1).max(100).describe("Number of pieces"),
      express: z.boolean().describe("True for express delivery"),
      size: z.enum(["small", "medium", "large"]),
    }),
    run: ({ customer, quantity, express, size }) =>
      `${String(quantity)} ${String(size)} for ${String(customer)}, ${express === true ? "express" : "standard"} delivery`,
  };
}

function search(thing: string): SdkTool {
  return {
    name: `search_${thing}s`,
    description: `Searches every ${thing} by text, status, and date. Returns one line for each.`,
    input: z.object({
      query: z.string().min(1).max(200).describe("Text to search for"),
      status: z.enum(["all", "open", "closed"]).optional().describe("Status; all by default"),
      since: z.string().optional().describe("Earliest date, such as 2026-01-31"),
      limit: z.number().int().min(1).max(100).default(20).describe("Maximum number of results"),
      cursor: z.string().optional().describe("Cursor of the next page"),
    }),
    run: ({ query }) => `No ${thing} matches ${String(query)}`,
  };
}

function create(thing: string): SdkTool {
  return {
    name: `create_${thing}`,
    description: `Creates a ${thing} and returns its ID. Search for it first, so that it is not created twice.`,
    input: z.object({
      title: z.string().min(1).describe(`Title of the ${thing}`),
      notes: z.string().optional().describe("Notes for colleagues"),
      labels: z.array(z.string()).max(10).optional().describe("Labels for filters"),
      priority: z.number().int().min(0).max(4).optional(),
      owner: z.object({ id: z.string(), name: z.string().optional() }).describe("Responsible person"),
    }),
    run: ({ title }) => `Created the ${thing} ${String(title)}`,
  };
}

function update(thing: string): SdkTool {
  return {
    name: `update_${thing}`,
    description: `Changes a ${thing}. Omitted fields keep their values.`,
    input: z.object({
      id: z.string().describe(`ID of the ${thing}`),
      title: z.string().optional().describe("New title"),
      status: z.enum(["open", "closed"]).optional(),
      amount: z.number().min(0).nullable().optional().describe("New amount; null removes it"),
      notify: z.boolean().default(true).describe("Informs the owner"),
    }),
    run: ({ id }) => `Changed the ${thing} ${String(id)}`,
  };
}

function report(): SdkTool {
  return {
    name: "report",
    description: "Adds up the orders of a period.",
    input: z.object({
      from: z.string().describe("First day"),
      to: z.string().describe("Last day"),
      by: z.enum(["day", "week", "month"]).default("month"),
    }),
    run: ({ from, to }) => `No orders from ${String(from)} to ${String(to)}`,
  };
}
