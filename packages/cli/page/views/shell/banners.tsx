/**
 * @fileoverview Messages above the content: a lost connection, a sign-in, and errors in the code.
 * @module cli/page-app/views/shell/banners
 */
import { Note } from "@tenon/ui/components/controls/badge.js";
import { Button } from "@tenon/ui/components/controls/button.js";
import { CodeBlock } from "@tenon/ui/components/data/code-block.js";
import { formatQuantity } from "@tenon/ui/support/format.js";
import { useState } from "preact/hooks";
import type { BuildState } from "../../../src/page/protocol.js";
import { useApp } from "../../app-context.js";
import { UntrustedLink } from "../../components/links.js";
import { toLabel } from "../../state/text.js";

/** Messages above the content. */
export function Banners() {
  return (
    <div class="p-banners">
      <LinkBanner />
      <ConnectionBanner />
      <BuildPanel />
    </div>
  );
}

/** Tells that the page has lost the command in the terminal. */
function LinkBanner() {
  const { link } = useApp();
  const state = link.state.value;
  if (state.status === "connecting" || state.status === "open") return null;
  return (
    <Note tone={state.status === "rejected" ? "danger" : "warning"} isLive>
      {state.status === "lost" ? (
        <p>
          The command in the terminal does not respond. If you have stopped it, start it again. The page
          connects by itself, and keeps what you have entered.
        </p>
      ) : (
        <p>
          {state.status === "denied" && (
            <strong>This tab belongs to an earlier start of the command. </strong>
          )}
          {state.message}
        </p>
      )}
      {state.status === "denied" && (
        <p>
          Look for the line with the URL of this page in the terminal, and open it. This tab continues to work
          afterwards.
        </p>
      )}
      <Button icon="repeat" onClick={() => link.retry()}>
        Try now
      </Button>
    </Note>
  );
}

function ConnectionBanner() {
  const { store, attempt } = useApp();
  const { status, message, signInUrl } = store.connection.value;
  if (status === "sign-in") {
    return (
      <Note tone="info" isLive>
        <p>{message ?? "The server requires a sign-in."}</p>
        {signInUrl === undefined ? (
          <Button icon="key" tone="primary" onClick={() => void attempt("sign-in", {})}>
            Sign in
          </Button>
        ) : (
          <p>
            <UntrustedLink url={signInUrl}>Sign in</UntrustedLink>{" "}
            <code class="p-wrap">{toLabel(signInUrl, 500)}</code>
          </p>
        )}
      </Note>
    );
  }
  if (status !== "failed") return null;
  return (
    <Note tone="danger" isLive>
      <p>
        <strong>The page could not connect to the server.</strong> {toLabel(message ?? "", 1_000)}
      </p>
      <Button icon="repeat" onClick={() => void attempt("refresh", {})}>
        Connect again
      </Button>
    </Note>
  );
}

/** Errors in the code, with the lines that contain them. */
function BuildPanel() {
  const build = useApp().store.build.value;
  const [hiddenAt, setHiddenAt] = useState(0);
  if (build === undefined || build.status === "ok") return null;
  const isHidden = hiddenAt === build.at;
  return (
    <Note tone="danger" isLive>
      <div class="p-build__head">
        <p>
          <strong>
            {build.status === "failed" ? "The code has errors." : "The server process has crashed."}
          </strong>{" "}
          {build.status === "failed"
            ? "If an earlier version has worked, it still serves. Correct the file and save it to load it again."
            : "It starts again by itself, or after the next change if it has crashed several times."}
        </p>
        <Button tone="quiet" onClick={() => setHiddenAt(isHidden ? 0 : build.at)}>
          {isHidden ? `Show ${formatQuantity(build.problems.length, "problem")}` : "Hide"}
        </Button>
      </div>
      {!isHidden && <BuildProblems problems={build.problems} />}
    </Note>
  );
}

const MAX_PROBLEMS = 20;

function BuildProblems({ problems }: Pick<BuildState, "problems">) {
  return (
    <ul class="p-build">
      {problems.slice(0, MAX_PROBLEMS).map(({ message, place, frame }, index) => (
        <li key={index}>
          <p class="p-build__message">{message}</p>
          {place !== undefined && <p class="t-mono">{place}</p>}
          {frame !== undefined && <CodeBlock text={frame} label="Source" />}
        </li>
      ))}
      {problems.length > MAX_PROBLEMS && (
        <li>{formatQuantity(problems.length - MAX_PROBLEMS, "more problem")} in the terminal.</li>
      )}
    </ul>
  );
}
