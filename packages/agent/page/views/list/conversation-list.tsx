/**
 * @fileoverview Conversations by day, with search and paging.
 * @module agent/page-app/views/list/conversation-list
 */
import { Note } from "@tenon/ui/components/controls/badge.js";
import { Button } from "@tenon/ui/components/controls/button.js";
import { SearchField } from "@tenon/ui/components/fields/search-field.js";
import { formatQuantity } from "@tenon/ui/support/format.js";
import { useMemo, useState } from "preact/hooks";
import { useApp } from "../../app-context.js";
import { groupByDay } from "../../state/dates.js";
import { ConversationRow, type RowAction } from "./conversation-row.js";
import { DeleteDialog, RenameDialog } from "./task-dialogs.js";

/** List of conversations. */
export function ConversationList() {
  const { conversations } = useApp();
  const [action, setAction] = useState<RowAction>();
  const close = () => setAction(undefined);
  return (
    <>
      <div class="a-side__search">
        <SearchField
          label="Search conversations"
          placeholder="Search"
          value={conversations.search.value}
          onInput={(text) => conversations.find(text)}
          status={useSearchStatus()}
        />
      </div>
      <nav class="a-list" aria-label="Conversations">
        <Groups onAction={setAction} />
        <ListEnd />
      </nav>
      {action?.kind === "rename" && <RenameDialog task={action.task} onClose={close} />}
      {action?.kind === "delete" && <DeleteDialog task={action.task} onClose={close} />}
    </>
  );
}

function Groups({ onAction }: { readonly onAction: (action: RowAction) => void }) {
  const { conversations, router } = useApp();
  const tasks = conversations.tasks.value;
  const isSearch = conversations.search.value.trim() !== "";
  // A search shows the best order of the server, without days.
  const groups = useMemo(
    () => (isSearch ? [{ title: "Results", tasks }] : groupByDay(tasks, new Date())),
    [tasks, isSearch],
  );
  const { taskId } = router.route.value;
  return (
    <>
      {groups
        .filter((group) => group.tasks.length > 0)
        .map((group) => (
          <section key={group.title} class="a-list__group" aria-label={group.title}>
            <h2 class="a-list__title">{group.title}</h2>
            <ul>
              {group.tasks.map((task) => (
                <ConversationRow
                  key={task.taskId}
                  task={task}
                  isCurrent={task.taskId === taskId}
                  onAction={onAction}
                />
              ))}
            </ul>
          </section>
        ))}
    </>
  );
}

/** End of the list: the next page, or the reason why there is none. */
function ListEnd() {
  const { conversations, link } = useApp();
  const isEmpty = conversations.tasks.value.length === 0;
  const isSearch = conversations.search.value.trim() !== "";
  const isLoading = conversations.isLoading.value;
  if (conversations.failure.value !== undefined)
    return <Note tone="danger">{conversations.failure.value}</Note>;
  if (conversations.hasMore.value)
    return (
      <Button class="a-list__more" tone="quiet" isBusy={isLoading} onClick={() => conversations.more()}>
        Show more
      </Button>
    );
  if (!isEmpty || isLoading || link.state.value.connection !== "open") return null;
  return (
    <p class="a-list__empty">
      {isSearch ? "No conversation contains these words." : "Your conversations appear here."}
    </p>
  );
}

function useSearchStatus(): string {
  const { conversations } = useApp();
  if (conversations.search.value.trim() === "" || conversations.isLoading.value) return "";
  const count = conversations.tasks.value.length;
  return `${formatQuantity(count, "conversation")}${conversations.hasMore.value ? " or more" : ""}`;
}
