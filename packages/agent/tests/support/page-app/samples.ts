import type { TaskMessage, TaskState } from "@tenon/agent/client";

/** Creates a task. */
export function createTask(state: Partial<TaskState> = {}): TaskState {
  return {
    taskId: "t",
    status: "idle",
    isRunning: false,
    isLoading: false,
    canWrite: true,
    messages: [],
    approvals: [],
    subtasks: [],
    ...state,
  };
}

/** Creates a message of the task "t". */
export function message(
  type: TaskMessage["type"],
  data: Readonly<Record<string, unknown>> = {},
  key = `${type}:${JSON.stringify(data)}`,
): TaskMessage {
  // Safe: the tests give the members that the type requires.
  return { key, type, data: { taskId: "t", message: "", ...data } } as TaskMessage;
}

/** Creates a storage of a tab. A broken one throws, such as in private windows. */
export function createStorage(isBroken = false) {
  const values = new Map<string, string>();
  const check = () => {
    if (isBroken) throw new Error("No storage");
  };
  return {
    values,
    get length() {
      check();
      return values.size;
    },
    key: (index: number) => (check(), [...values.keys()][index] ?? null),
    getItem: (key: string) => (check(), values.get(key) ?? null),
    setItem: (key: string, value: string) => (check(), void values.set(key, value)),
    removeItem: (key: string) => (check(), void values.delete(key)),
  };
}
