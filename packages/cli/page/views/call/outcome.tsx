/**
 * @fileoverview Outcome of a call: its progress while it runs, and its result or error afterwards.
 * @module cli/page-app/views/call/outcome
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { Note } from "@tenon/ui/components/controls/badge.js";
import { Button } from "@tenon/ui/components/controls/button.js";
import { Spinner } from "@tenon/ui/components/controls/spinner.js";
import { ProgressBar } from "@tenon/ui/components/data/meters.js";
import { BlockView, ContentView, ResultView } from "@tenon/ui/content/content-view.js";
import { JsonView } from "@tenon/ui/json/json-view.js";
import { formatDuration, formatQuantity } from "@tenon/ui/support/format.js";
import type { CallDetail, CallSummary } from "../../../src/page/protocol.js";
import { useApp } from "../../app-context.js";
import type { ShownCall } from "../../components/hooks.js";
import { RouteLink } from "../../components/links.js";
import { durationOf } from "../../state/calls/call-bars.js";
import { isCancellable } from "../../state/calls/call-facts.js";
import { readResource } from "@tenon/ui/content/blocks.js";
import { useMemo } from "preact/hooks";
import { readText, toLabel } from "../../state/text.js";

/** Properties of `CallOutcomeView`. */
export interface CallOutcomeProps extends ShownCall {
  /** False if there is a button to cancel the call elsewhere. @default true */
  readonly isCancelShown?: boolean | undefined;
}

/** Shows the outcome of a call of any method. */
export function CallOutcomeView({ summary, detail, message, isCancelShown = true }: CallOutcomeProps) {
  if (summary === undefined) return <p class="t-quiet">This call is not recorded anymore.</p>;
  if (summary.outcome === "running") return <RunningCall call={summary} isCancelShown={isCancelShown} />;
  const isCurrent = detail?.summary.outcome === summary.outcome;
  if (detail === undefined || !isCurrent) {
    return message === undefined ? (
      <p class="t-quiet">
        <Spinner label="Loading" />
      </p>
    ) : (
      <Note tone="danger">{message}</Note>
    );
  }
  return <EndedCall detail={detail} />;
}

function EndedCall({ detail }: { readonly detail: CallDetail }) {
  const { summary, result, error } = detail;
  const hasNothing = result === undefined && error === undefined;
  return (
    <div class="p-outcome-view">
      {summary.outcome === "cancelled" && <Note>The call was cancelled.</Note>}
      {summary.outcome === "tool-error" && (
        <Note tone="warning">The tool reports an error. The model sees its text, and can react to it.</Note>
      )}
      {summary.outcome === "error" && (
        <Note tone="danger">
          <p>{summary.message ?? error?.message ?? "The call failed."}</p>
          {error !== undefined && <p class="t-quiet">JSON-RPC error {error.code}</p>}
        </Note>
      )}
      {error?.data !== undefined && <JsonView label="Data of the error" value={error.data} />}
      {result !== undefined && <ResultBody method={summary.method} result={result} />}
      {summary.outcome !== "cancelled" && hasNothing && <Note>The result is too long to be recorded.</Note>}
    </div>
  );
}

function ResultBody({ method, result }: { readonly method: string; readonly result: JsonObject }) {
  const { router } = useApp();
  const openResource = (uri: string) => router.go({ area: "resources", id: uri });
  if (method === "resources/read") return <ResourceContents result={result} />;
  if (method === "prompts/get") return <PromptMessages result={result} onOpenResource={openResource} />;
  return <ResultView result={result} onOpenResource={openResource} />;
}

/** Progress of a running call, and the button that cancels it. */
function RunningCall({
  call,
  isCancelShown,
}: {
  readonly call: CallSummary;
  readonly isCancelShown: boolean;
}) {
  const { store, attempt } = useApp();
  const { progress } = call;
  const elapsed = formatDuration(durationOf(call, Math.max(store.now.value, call.at)));
  const question = [...store.questions.value.values()].find(({ callId }) => callId === call.id);
  return (
    <div class="p-running">
      <div class="p-running__row">
        <span role="status">
          <Spinner /> Running
        </span>
        <span class="t-quiet">{elapsed}</span>
        {isCancelShown && isCancellable(call) && (
          <Button icon="stop" tone="danger" onClick={() => void attempt("cancel", { id: call.id })}>
            Cancel
          </Button>
        )}
      </div>
      {progress !== undefined && (
        <ProgressBar
          label="Progress of the call"
          value={progress.progress}
          total={progress.total}
          text={progress.message}
        />
      )}
      {question !== undefined && (
        <Note tone="warning">
          The server asks a question.{" "}
          <RouteLink to={{ area: "questions", id: question.id }}>Answer it</RouteLink> to continue.
        </Note>
      )}
    </div>
  );
}

const MAX_CONTENTS = 100;

/** Shows the contents of a resource: texts, images, sounds, and files. */
function ResourceContents({ result }: { readonly result: JsonObject }) {
  const contents = useMemo(() => {
    const all: readonly unknown[] = Array.isArray(result["contents"]) ? result["contents"] : [];
    return all.map((value) => readResource(value) ?? ({ type: "unknown", value } as const));
  }, [result]);
  if (!Array.isArray(result["contents"])) return <JsonView label="Result" value={result} />;
  if (contents.length === 0) return <p class="t-quiet">No contents</p>;
  return (
    <ol class="t-content">
      {contents.slice(0, MAX_CONTENTS).map((block, index) => (
        <li key={index} class="t-content__block">
          <BlockView block={block} label={`Content ${index + 1}`} />
        </li>
      ))}
      {contents.length > MAX_CONTENTS && (
        <li>
          <Note>{formatQuantity(contents.length - MAX_CONTENTS, "more part")} not shown.</Note>
        </li>
      )}
    </ol>
  );
}

/** Properties of `PromptMessages`. */
interface PromptMessagesProps {
  /** Object with `messages`, and an optional `description`. */
  readonly result: JsonObject;
  readonly onOpenResource?: ((uri: string) => void) | undefined;
}

const MAX_MESSAGES = 200;

/** Shows messages with their roles, as a model gets them. */
export function PromptMessages({ result, onOpenResource }: PromptMessagesProps) {
  const description = readText(result, "description");
  const messages: readonly unknown[] = Array.isArray(result["messages"]) ? result["messages"] : [];
  return (
    <div class="p-messages">
      {description !== undefined && <p class="t-quiet">{toLabel(description, 1_000)}</p>}
      {messages.length === 0 && <p class="t-quiet">No messages</p>}
      <ol class="p-messages__list">
        {messages.slice(0, MAX_MESSAGES).map((message, index) => (
          <Message key={index} message={message} onOpenResource={onOpenResource} />
        ))}
      </ol>
      {messages.length > MAX_MESSAGES && (
        <Note>{formatQuantity(messages.length - MAX_MESSAGES, "more message")} not shown.</Note>
      )}
    </div>
  );
}

interface MessageProps extends Pick<PromptMessagesProps, "onOpenResource"> {
  readonly message: unknown;
}

function Message({ message, onOpenResource }: MessageProps) {
  const role = isJsonObject(message) ? readText(message, "role") : undefined;
  return (
    <li class="p-message" data-role={role === "assistant" ? "assistant" : "user"}>
      <p class="p-message__role">{toLabel(role ?? "unknown role", 40)}</p>
      <ContentView
        content={isJsonObject(message) ? message["content"] : message}
        onOpenResource={onOpenResource}
      />
    </li>
  );
}
