/**
 * @fileoverview Files of the message that the user writes.
 * @module agent/page-app/views/composer/use-attachments
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { useApp } from "../../app-context.js";
import { addFiles, type Attachment, type ChosenFile } from "../../state/attachments.js";

/** Files of a message. */
export type Attachments = ReturnType<typeof useAttachments>;

/** Returns the files of a message. Another conversation starts without files. */
export function useAttachments(taskId: string | undefined) {
  const { config } = useApp();
  const [list, setList] = useState<readonly Attachment[]>([]);
  const [problems, setProblems] = useState<readonly string[]>([]);
  // Files are read one after the other, so that all of them count towards the limit.
  const present = useRef(list);
  const queue = useRef(Promise.resolve());
  const set = (next: readonly Attachment[], found: readonly string[] = []) => {
    present.current = next;
    setList(next);
    setProblems(found);
  };
  const read = async (files: readonly ChosenFile[]) => {
    const room = { present: present.current, maxMessageBytes: config.maxMessageBytes };
    const added = await addFiles(files, room);
    set([...present.current, ...added.attachments], added.problems);
  };
  useEffect(() => set([]), [taskId]);
  return {
    list,
    /** Reasons why files were not added. */
    problems,
    add: (files: readonly ChosenFile[]) => {
      queue.current = queue.current.then(() => read(files));
    },
    remove: (id: number) => set(present.current.filter((one) => one.id !== id)),
    clear: () => set([]),
  };
}
