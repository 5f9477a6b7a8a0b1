/**
 * @fileoverview Calls a tool with the value of its form, after a validation.
 * @module cli/page-app/views/tools/use-tool-call
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { FormStore } from "@tenon/ui/form/form-store.js";
import { useEffect, useState } from "preact/hooks";
import { type App, useApp } from "../../app-context.js";
import { showCall, shownKey } from "../../components/hooks.js";
import type { ToolItem } from "../../state/tools/tool-item.js";

/** Functions and state of the call button. */
export interface ToolCall {
  readonly form: FormStore;
  /** True while the call starts. */
  readonly isStarting: boolean;
  /** True if a validation has found problems, so that the user can decide to call the tool anyway. */
  readonly hasProblems: boolean;
  /** Validates the arguments, and calls the tool if they are valid. */
  readonly start: () => void;
  /** Calls the tool without a validation. */
  readonly startAnyway: () => void;
}

const DELAY_MS = 300;

/** Returns the functions of the call button. After the first attempt, changes are validated while the user types. */
export function useToolCall(tool: ToolItem): ToolCall {
  const app = useApp();
  const form = app.forms.get(tool);
  const [isStarting, setIsStarting] = useState(false);
  const [isTried, setIsTried] = useState(false);
  const value = form.value.value;
  useEffect(() => {
    if (!isTried) return;
    const timer = setTimeout(() => void validate(app, tool, form), DELAY_MS);
    return () => clearTimeout(timer);
  }, [value, isTried, form]);
  const run = async (isValidated: boolean) => {
    const args = readArguments(form);
    if (args === undefined || isStarting) return;
    setIsStarting(true);
    try {
      if (isValidated && !(await validate(app, tool, form))) {
        setIsTried(true);
        return;
      }
      await startCall(app, tool, args);
    } finally {
      setIsStarting(false);
    }
  };
  return {
    form,
    isStarting,
    hasProblems: isTried && form.problems.value.length > 0,
    start: () => void run(true),
    startAnyway: () => void run(false),
  };
}

/** Returns the arguments of a form. Shows a problem and returns `undefined` if they are not complete. */
export function readArguments(form: FormStore): JsonObject | undefined {
  const value = form.value.peek();
  if (form.isIncomplete.peek()) return undefined;
  if (isJsonObject(value)) return value;
  form.setProblems([{ path: [], message: "The arguments must be an object." }]);
  return undefined;
}

/** Shows the problems of a form. Returns true if there are none, or if the tool cannot be validated. */
async function validate({ commands }: App, { name }: ToolItem, form: FormStore): Promise<boolean> {
  const value = form.value.peek();
  if (!isJsonObject(value)) return false;
  try {
    const { problems } = await commands.run("validate", { tool: name, arguments: value });
    if (form.value.peek() === value) form.setProblems(problems);
    return problems.length === 0;
  } catch {
    // The server checks the arguments too.
    return true;
  }
}

async function startCall(app: App, tool: ToolItem, args: JsonObject): Promise<void> {
  const started = await app.attempt("call", { tool: tool.name, arguments: args, era: app.era.peek() });
  if (started !== undefined) showCall(app, shownKey("tools", tool.key), started.id);
}

/** Properties of the views of one tool. */
export interface ToolProps {
  readonly tool: ToolItem;
}
