/**
 * @fileoverview Summary of a form's problems.
 * @module ui/form/problem-summary
 */
import { Note } from "../components/controls/badge.js";
import { showPath } from "../json/json-value.js";
import { formatQuantity } from "../support/format.js";
import { focusField, useForm } from "./form-context.js";
import type { ShownProblem } from "./form-store.js";

const MAX_SHOWN = 20;

/** Lists the problems of a form, with a button for each that goes to its field. */
export function ProblemSummary() {
  const { store, id } = useForm();
  const problems = store.problems.value;
  if (problems.length === 0) return null;
  const isForm = store.mode.value === "form";
  return (
    <Note tone="danger" isLive>
      <p>{formatQuantity(problems.length, "problem")}</p>
      <ul class="t-form-problems">
        {problems.slice(0, MAX_SHOWN).map((problem, index) => (
          <li key={index}>
            {isForm ? (
              <button
                type="button"
                class="t-form-problems__link"
                onClick={() => focusField(id, problem.owner)}
              >
                {nameOf(problem)}
              </button>
            ) : (
              <code>{nameOf(problem)}</code>
            )}
            : {problem.message}
          </li>
        ))}
      </ul>
      {problems.length > MAX_SHOWN && <p>{formatQuantity(problems.length - MAX_SHOWN, "more problem")}</p>}
    </Note>
  );
}

function nameOf({ path }: ShownProblem): string {
  return path.length === 0 ? "Whole value" : showPath(path);
}
