/**
 * @fileoverview Message of the user, with its files and its delivery.
 * @module agent/page-app/views/conversation/user-message
 */
import { Button } from "@tenon/ui/components/controls/button.js";
import { CopyButton } from "@tenon/ui/components/controls/copy-button.js";
import { Icon } from "@tenon/ui/icons/icon.js";
import { useApp } from "../../app-context.js";
import { FileView } from "../../components/file-view.js";
import { formatTime } from "../../state/dates.js";
import type { UserItem } from "../../state/items/item.js";

/** Properties of `UserMessage`. */
export interface UserMessageProps {
  readonly item: UserItem;
  readonly taskId: string;
}

/** Message of the user. Its text is not formatted. */
export function UserMessage({ item, taskId }: UserMessageProps) {
  const { link } = useApp();
  const again = () => {
    const { text, files, messageId } = item;
    // The message itself shows a failure.
    void link.client.send(text, { taskId, files, messageId }).catch(() => undefined);
  };
  return (
    <article class="a-user" aria-label="You" data-delivery={item.delivery}>
      {item.files.length > 0 && (
        <ul class="a-files" aria-label="Files">
          {item.files.map((file, index) => (
            <li key={index}>
              <FileView file={file} isSmall />
            </li>
          ))}
        </ul>
      )}
      <p class="a-user__text">{item.text}</p>
      <div class="a-user__foot">
        {item.delivery === "sending" && <span>Sending…</span>}
        {item.delivery === "failed" && (
          <>
            <span class="a-user__failed">
              <Icon name="error" /> Not delivered
            </span>
            <Button tone="quiet" icon="repeat" onClick={again}>
              Send again
            </Button>
          </>
        )}
        {item.delivery === undefined && (
          <span class="a-hover">
            <CopyButton text={item.text} label="Copy message" />
            <span>{formatTime(item.time)}</span>
          </span>
        )}
      </div>
    </article>
  );
}
