/**
 * @fileoverview Tab that calls a tool in both eras and compares the messages.
 * @module cli/page-app/views/tools/wire-tab
 */
import { Note } from "@tenon/ui/components/controls/badge.js";
import { Button } from "@tenon/ui/components/controls/button.js";
import { EmptyState } from "@tenon/ui/components/layout/empty-state.js";
import { useState } from "preact/hooks";
import { useApp } from "../../app-context.js";
import { RouteLink } from "../../components/links.js";
import { WireComparison } from "../wire/call-wire.js";
import type { ToolProps } from "./tool-props.js";
import { readArguments } from "./use-tool-call.js";

/** Tab that compares the messages of both eras. */
export function WireTab({ tool }: ToolProps) {
  const app = useApp();
  const [isStarting, setIsStarting] = useState(false);
  const comparison = app.comparisons.value.get(tool.key);
  const form = app.forms.get(tool);
  const compare = async () => {
    const args = readArguments(form);
    if (args === undefined) return;
    setIsStarting(true);
    const ids = await app.attempt("compare", { tool: tool.name, arguments: args });
    setIsStarting(false);
    if (ids !== undefined) app.comparisons.value = new Map(app.comparisons.peek()).set(tool.key, ids);
  };
  const button = (
    <Button
      tone="primary"
      icon="wire"
      isBusy={isStarting}
      isDisabled={form.isIncomplete.value}
      onClick={() => void compare()}
    >
      {app.eras.value.length > 1 ? "Call in both eras" : "Call and show the messages"}
    </Button>
  );
  return (
    <div class="p-model">
      {form.isIncomplete.value && (
        <Note tone="warning">
          Some arguments are not valid.{" "}
          <RouteLink to={{ area: "tools", id: tool.key, tab: "call" }}>Correct them</RouteLink> first.
        </Note>
      )}
      {comparison === undefined ? (
        <EmptyState title="See the exact messages" icon="wire" actions={button}>
          <p>
            The page calls the tool with the arguments of the Call tab, once in each era that the server
            supports, and shows messages, headers, and checks side by side.
          </p>
        </EmptyState>
      ) : (
        <>
          <div class="p-call__buttons">{button}</div>
          <WireComparison comparison={comparison} />
        </>
      )}
    </div>
  );
}
