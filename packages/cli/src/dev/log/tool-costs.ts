/**
 * @fileoverview Counts the tokens of tools. The tokenizer's vocabulary takes a moment to load, so it is loaded after the
 * server has started.
 * @module cli/dev/log/tool-costs
 */
import { loadTokenizer, type Tokenizer } from "../../tokens/tokenizer.js";
import { toToolText } from "../../tokens/measure.js";
import type { DefinitionChange } from "../lists/list-changes.js";
import type { ServerLists } from "../messages/messages.js";
import type { ReloadedEvent, ToolsEvent } from "./events.js";

/** Counts tokens, or leaves them out if they are not wanted. */
export class ToolCosts {
  readonly #isOn: boolean;
  #tokenizer: Promise<Tokenizer | undefined> | undefined;

  /** @param isOn false to print tools without their cost */
  constructor(isOn: boolean) {
    this.#isOn = isOn;
  }

  /** Describes all tools of a server. */
  async describe(lists: ServerLists): Promise<ToolsEvent> {
    const { tools = [], resources = [], resourceTemplates = [], prompts = [] } = lists;
    const counter = await this.#load();
    const costs = tools.map((tool) => ({
      name: String(tool["name"]),
      tokens: counter?.count(toToolText(tool)),
    }));
    return {
      event: "tools",
      tools: costs,
      resources: resources.length + resourceTemplates.length,
      prompts: prompts.length,
      tokens: counter && costs.reduce((sum, { tokens = 0 }) => sum + tokens, 0),
    };
  }

  /** Adds the cost of new and changed tools. */
  async addTo(
    changes: readonly DefinitionChange[],
    { tools = [] }: ServerLists,
  ): Promise<ReloadedEvent["changes"]> {
    const counter = await this.#load();
    return changes.map((change) => {
      const tool = change.noun === "tool" ? tools.find(({ name }) => name === change.name) : undefined;
      return tool === undefined ? change : { ...change, tokens: counter?.count(toToolText(tool)) };
    });
  }

  #load(): Promise<Tokenizer | undefined> {
    if (!this.#isOn) return Promise.resolve(undefined);
    // Tools are also useful without their cost.
    return (this.#tokenizer ??= loadTokenizer().catch(() => undefined));
  }
}
