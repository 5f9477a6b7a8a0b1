/**
 * @fileoverview Sortable, windowed table of objects.
 * @module ui/components/collections/table
 */
import type { JsonObject } from "@tenon/internal/json";
import { useMemo, useState } from "preact/hooks";
import { Icon } from "../../icons/icon.js";
import { cellText, type Column, columnsOf, nextOrder, sortRows, type SortOrder } from "./table-model.js";
import { useWindow } from "./use-window.js";

/** Properties of `Table`. */
export interface TableProps {
  readonly label: string;
  readonly rows: readonly JsonObject[];
}

const ROW_HEIGHT = 28;

/** Table with a column for each member of the objects. Only the visible rows are rendered. */
export function Table({ label, rows }: TableProps) {
  const [order, setOrder] = useState<SortOrder>();
  const columns = useMemo(() => columnsOf(rows), [rows]);
  const sorted = useMemo(() => sortRows(rows, order), [rows, order]);
  const view = useWindow<HTMLDivElement>({ count: sorted.length, rowHeight: ROW_HEIGHT });
  return (
    <div
      ref={view.scrollerRef}
      class="t-table"
      style={{ "--t-row": `${ROW_HEIGHT}px` }}
      role="group"
      aria-label={label}
      tabIndex={0}
      onScroll={view.onScroll}
    >
      <table aria-rowcount={sorted.length + 1}>
        <colgroup>
          {columns.map(({ name, width }) => (
            <col key={name} style={{ width: `calc(${width}ch + 1rem)` }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ name, isNumeric }) => (
              <ColumnHeader
                key={name}
                name={name}
                isNumeric={isNumeric}
                order={order?.column === name ? order : undefined}
                onClick={() => setOrder(nextOrder(order, name))}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer height={view.before} columns={columns.length} />
          {sorted.slice(view.start, view.end).map((row, offset) => (
            <tr key={view.start + offset} aria-rowindex={view.start + offset + 2}>
              {columns.map((column) => (
                <Cell key={column.name} column={column} row={row} />
              ))}
            </tr>
          ))}
          <Spacer height={view.after} columns={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

interface ColumnHeaderProps {
  readonly name: string;
  readonly isNumeric: boolean;
  /** Order of this column, or `undefined` if the table is not sorted by it. */
  readonly order: SortOrder | undefined;
  readonly onClick: () => void;
}

function ColumnHeader({ name, isNumeric, order, onClick }: ColumnHeaderProps) {
  const direction = order === undefined ? "none" : order.isDescending ? "descending" : "ascending";
  return (
    <th scope="col" aria-sort={direction} data-align={isNumeric ? "end" : undefined}>
      <button type="button" class="t-table__sort" title={name} onClick={onClick}>
        <span>{name === "" ? "(empty name)" : name}</span>
        {order !== undefined && <Icon name={order.isDescending ? "arrow-down" : "arrow-up"} />}
      </button>
    </th>
  );
}

function Cell({ column, row }: { readonly column: Column; readonly row: JsonObject }) {
  const value = Object.hasOwn(row, column.name) ? row[column.name] : undefined;
  const text = cellText(value);
  return (
    <td
      data-align={column.isNumeric ? "end" : undefined}
      data-missing={value === undefined || value === null}
      title={text.length > column.width ? text : undefined}
    >
      {value === undefined ? "–" : text}
    </td>
  );
}

function Spacer({ height, columns }: { readonly height: number; readonly columns: number }) {
  if (height === 0) return null;
  return (
    <tr class="t-table__spacer" aria-hidden="true">
      <td colSpan={columns} style={{ height: `${height}px` }} />
    </tr>
  );
}
