/**
 * @fileoverview Messages above the conversation: a lost connection.
 * @module agent/page-app/views/shell/banners
 */
import { Note } from "@tenon/ui/components/controls/badge.js";
import { Button } from "@tenon/ui/components/controls/button.js";
import { Spinner } from "@tenon/ui/components/controls/spinner.js";
import { browserTimer } from "@tenon/ui/support/timer.js";
import { useEffect, useState } from "preact/hooks";
import { useApp } from "../../app-context.js";

/** Time before the page reports a lost connection, because most of them come back at once. */
const PATIENCE_MS = 700;

/** Tells that the page is not connected. */
export function Banners() {
  const { link } = useApp();
  const { connection } = link.state.value;
  const isLost = connection === "reconnecting" || connection === "closed";
  const isVisible = useDelayed(isLost);
  if (!isVisible) return null;
  return (
    <div class="a-banners">
      <Note tone="warning" isLive>
        <div class="a-banner">
          <p>
            <strong>The connection to the server is lost.</strong> The page reconnects by itself, and keeps
            what you have entered.
          </p>
          {connection === "reconnecting" ? (
            <span class="a-banner__state">
              <Spinner /> Reconnecting…
            </span>
          ) : (
            <Button icon="repeat" onClick={() => void link.client.connect().catch(() => undefined)}>
              Connect
            </Button>
          )}
        </div>
      </Note>
    </div>
  );
}

/** Returns true after a condition has been true for a while. */
function useDelayed(condition: boolean): boolean {
  const [isReached, setIsReached] = useState(false);
  useEffect(() => {
    if (condition) return browserTimer.after(PATIENCE_MS, () => setIsReached(true));
    setIsReached(false);
    return undefined;
  }, [condition]);
  return condition && isReached;
}
