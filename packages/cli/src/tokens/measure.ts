/**
 * @fileoverview Counts the tokens of tools, prompts, instructions, and views.
 * @module cli/tokens/measure
 */
import { interrupted } from "@tenon/internal/command-line/command";
import type { JsonObject } from "@tenon/internal/json";
import type { Tokenizer } from "./tokenizer.js";
import { type Definitions, describeView, type View } from "./views.js";

/** Costs of a server in tokens. This is the result of `tenon tokens --json`. */
export interface TokenReport {
  readonly server: JsonObject;
  readonly revision: string;
  readonly encoding: string;
  /** View that was counted, such as `as listed`. */
  readonly view: string;
  /** Tools and instructions. */
  readonly total: number;
  readonly instructions: number;
  readonly tools: readonly ToolCost[];
  /** Prompts. They are not in the total, because clients show them to the user. */
  readonly prompts: readonly EntryCost[];
  readonly views: readonly ViewCost[];
  readonly omittedViews: number;
}

/** Cost of a tool in tokens. */
export interface ToolCost {
  readonly name: string;
  /** Name, description, and input schema: the text that clients pass to the model. */
  readonly tokens: number;
  readonly description: number;
  readonly inputSchema: number;
  /** Output schema. It is not in `tokens`, because most clients do not pass it to the model. */
  readonly outputSchema: number;
  /** Title, annotations, and other members. They are not in `tokens`, because clients use them themselves. */
  readonly other: number;
  /** Actions of a grouped tool, each counted as a separate tool. */
  readonly actions?: readonly EntryCost[];
}

/** Cost of a prompt, or of an action as a separate tool, in tokens. */
export type EntryCost = Pick<ToolCost, "name" | "tokens">;

/** Cost of all tools in a view, and of the instructions. */
export interface ViewCost {
  readonly name: string;
  /** Number of tools. */
  readonly tools: number;
  readonly tokens: number;
}

/**
 * Counts all definitions. Lets other work run between the texts, so that Ctrl+C stops a long count.
 *
 * @throws {CliError} if the signal aborts
 */
export async function measure(
  definitions: Definitions,
  tokenizer: Tokenizer,
  signal: AbortSignal,
): Promise<TokenReport> {
  const { selected, actions } = definitions;
  const each = <Item, Cost>(items: readonly Item[], toCost: (item: Item) => Cost) =>
    mapWithPauses(items, toCost, signal);
  const instructions = tokenizer.count(definitions.instructions ?? "");
  const tools = await each(selected.tools, (tool) => measureTool(tool, tokenizer, actions));
  return {
    server: definitions.server,
    revision: definitions.revision,
    encoding: tokenizer.encoding,
    view: describeView(selected.key),
    total: sum(tools.map(({ tokens }) => tokens)) + instructions,
    instructions,
    tools,
    prompts: await each(definitions.prompts, (prompt) => ({
      name: nameOf(prompt),
      tokens: tokenizer.count(toPromptText(prompt)),
    })),
    views: await each(definitions.views, (view) => ({
      name: describeView(view.key),
      tools: view.tools.length,
      tokens: measureView(view, tokenizer) + instructions,
    })),
    omittedViews: definitions.omittedViews,
  };
}

/** Returns the text that is counted for a tool: compact JSON with the members that clients pass to the model. */
export function toToolText({ name, description, inputSchema }: JsonObject): string {
  return JSON.stringify({ name, description, inputSchema });
}

/** Returns the text that is counted for a prompt. */
function toPromptText({ name, description, arguments: args }: JsonObject): string {
  return JSON.stringify({ name, description, arguments: args });
}

function measureTool(tool: JsonObject, { count }: Tokenizer, actions: Definitions["actions"]): ToolCost {
  const { name: _, description, inputSchema, outputSchema, ...other } = tool;
  const name = nameOf(tool);
  const own = actions.get(name);
  return {
    name,
    tokens: count(toToolText(tool)),
    description: typeof description === "string" ? count(description) : 0,
    inputSchema: inputSchema === undefined ? 0 : count(JSON.stringify(inputSchema)),
    outputSchema: outputSchema === undefined ? 0 : count(JSON.stringify(outputSchema)),
    other: Object.keys(other).length === 0 ? 0 : count(JSON.stringify(other)),
    ...(own === undefined
      ? {}
      : {
          actions: own.map((action) => ({
            name: action.name,
            tokens: count(toToolText(action.definition)),
          })),
        }),
  };
}

function measureView({ tools }: View, { count }: Tokenizer): number {
  return sum(tools.map((tool) => count(toToolText(tool))));
}

function nameOf({ name }: JsonObject): string {
  return typeof name === "string" ? name : "";
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

async function mapWithPauses<Item, Cost>(
  items: readonly Item[],
  toCost: (item: Item) => Cost,
  signal: AbortSignal,
): Promise<readonly Cost[]> {
  const costs: Cost[] = [];
  for (const item of items) {
    await new Promise((resolve) => setImmediate(resolve));
    if (signal.aborted) throw interrupted();
    costs.push(toCost(item));
  }
  return costs;
}
