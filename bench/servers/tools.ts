/**
 * @fileoverview Tools of every server: a small sum, an echo, a realistic order, and as many others as a list needs.
 * @module bench/servers/tools
 */
import { z } from "zod";

/** One tool, independent of any framework. */
export interface BenchTool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** Returns the text of the result. The arguments are already validated. */
  readonly run: (args: Readonly<Record<string, unknown>>) => string;
}

/** Name and version of every server. */
export const INFO = { name: "bench", version: "1.0.0" } as const;

const add: BenchTool = {
  name: "add",
  description: "Adds two numbers",
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => String((a as number) + (b as number)),
};

const echo: BenchTool = {
  name: "echo",
  description: "Gives a text back",
  input: z.object({ text: z.string() }),
  run: ({ text }) => text as string,
};

const order: BenchTool = {
  name: "order",
  description: "Orders a product for a customer",
  input: z.object({
    customer: z.string().min(3).describe("Name of the customer"),
    quantity: z.number().int().min(1).max(100).describe("Number of pieces"),
    express: z.boolean(),
    size: z.enum(["small", "medium", "large"]),
  }),
  run: ({ customer, quantity, express, size }) =>
    `${String(quantity)} ${String(size)} for ${String(customer)}, ${express === true ? "express" : "standard"} delivery`,
};

/** Number of tools that include `order`. */
export const WITH_ORDER = 3;

/** Creates the given number of tools; the first ones are `add`, `echo`, and `order`. */
export function benchTools(count: number): readonly BenchTool[] {
  const own = [add, echo, order];
  const others = Array.from({ length: Math.max(count - own.length, 0) }, (_, index) => generated(index));
  return [...own, ...others].slice(0, count);
}

function generated(index: number): BenchTool {
  return {
    name: `tool_${index}`,
    description: `Does the work number ${index}, with a limit and a filter`,
    input: z.object({
      id: z.string().describe("Which record"),
      limit: z.number().int().min(1).max(100).optional().describe("Most records to give"),
      filter: z.enum(["all", "open", "closed"]).optional(),
    }),
    run: ({ id }) => `work ${index} on ${String(id)}`,
  };
}
