/**
 * @fileoverview Entries whose handlers are observed, for hosts that measure them. Servers without an observer use the
 * entries as they are.
 * @module tenon/core/snapshot/observed-entries
 */
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import type { Call } from "../call/call.js";
import type { PromptEntry } from "../definitions/prompt.js";
import type { FixedResourceEntry, TemplateEntry } from "../definitions/resource.js";
import type { RestrictedParts, ToolEntry } from "../definitions/tool.js";
import type { HandlerObserver } from "../wire/hosted-server.js";

/** Compiled entries, in the same order as in the plan. */
export interface Entries {
  readonly tools: readonly ToolEntry[];
  readonly resources: readonly FixedResourceEntry[];
  readonly templates: readonly TemplateEntry[];
  readonly prompts: readonly PromptEntry[];
}

/** Returns copies of the entries whose handlers are observed, including the server's middleware around them. */
export function observeEntries(entries: Entries, observer: HandlerObserver): Entries {
  return {
    tools: entries.tools.map((tool) => observeTool(tool, observer)),
    resources: entries.resources.map((resource) => observe(resource, observer)),
    templates: entries.templates.map((template) => observe(template, observer)),
    prompts: entries.prompts.map((prompt) => observe(prompt, observer)),
  };
}

function observeTool(tool: ToolEntry, observer: HandlerObserver): ToolEntry {
  const { restricted } = tool;
  const copy = observe(tool, observer);
  return restricted === undefined ? copy : { ...copy, restricted: observeParts(restricted, observer) };
}

/** Observes the entries for callers with different scopes. */
function observeParts(parts: RestrictedParts, observer: HandlerObserver): RestrictedParts {
  return {
    ...parts,
    select(auth) {
      const selected = parts.select(auth);
      return selected && observe(selected, observer);
    },
  };
}

interface Observable {
  readonly run: (args: never, call: Call) => MaybePromise<unknown>;
}

function observe<Entry extends Observable>(entry: Entry, observer: HandlerObserver): Entry {
  const { run } = entry;
  const observed: Observable["run"] = (args, call) => {
    const end = observer();
    let outcome: MaybePromise<unknown>;
    try {
      outcome = run(args, call);
    } catch (error) {
      end();
      throw error;
    }
    if (isPromise(outcome)) return endWith(outcome, end);
    end();
    return outcome;
  };
  return { ...entry, run: observed };
}

async function endWith(outcome: Promise<unknown>, end: () => void): Promise<unknown> {
  try {
    return await outcome;
  } finally {
    end();
  }
}
