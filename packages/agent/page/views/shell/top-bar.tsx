/**
 * @fileoverview Bar above the conversation: its title, its tokens, and the settings of the page.
 * @module agent/page-app/views/shell/top-bar
 */
import { Badge } from "@tenon/ui/components/controls/badge.js";
import { IconButton } from "@tenon/ui/components/controls/button.js";
import { Icon } from "@tenon/ui/icons/icon.js";
import { ThemeButton } from "@tenon/ui/components/controls/theme-button.js";
import { useApp } from "../../app-context.js";
import { useTaskTitle } from "../../components/hooks.js";
import { formatRoute } from "../../routes/route.js";
import { toLabel } from "../../state/text.js";
import { ContextMeter } from "../usage/context-meter.js";

/** Bar above the conversation. */
export function TopBar() {
  const { isListOpen, showList, canWrite, theme } = useApp();
  return (
    <header class="a-top">
      <button
        id="menu"
        type="button"
        class="t-icon-button a-top__menu"
        aria-label="Conversations"
        aria-expanded={isListOpen.value}
        aria-controls="sidebar"
        title="Conversations"
        onClick={() => showList(true)}
      >
        <Icon name="menu" />
      </button>
      <Titles />
      {!canWrite.value && <Badge>Read only</Badge>}
      <ContextMeter />
      <ThemeButton theme={theme} />
      <SignOutButton />
    </header>
  );
}

function Titles() {
  const { task, router } = useApp();
  const parent = task.value?.parentTaskId;
  const title = useTaskTitle();
  const isNew = router.route.value.taskId === undefined;
  const untitled = isNew ? "New conversation" : parent === undefined ? "Conversation" : "Subtask";
  const label = isNew || title === "" ? untitled : toLabel(title);
  return (
    <div class="a-top__titles">
      {parent !== undefined && (
        <a class="a-top__parent" href={formatRoute({ taskId: parent })}>
          <Icon name="chevron-left" /> Back to the main task
        </a>
      )}
      <h1 class="a-top__title" title={label}>
        {label}
      </h1>
    </div>
  );
}

function SignOutButton() {
  const { isSignedIn, signOut } = useApp();
  return isSignedIn.value ? <IconButton icon="user" label="Sign out" onClick={signOut} /> : null;
}
