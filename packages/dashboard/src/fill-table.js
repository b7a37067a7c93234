// Fills tables with text, never with markup, because names come from callers. On a narrow screen the rows stack
// (overview.css), so every cell carries its column's title and the roles that a stacked table would lose.

const MAX_NAME_LENGTH = 80;
const MAX_TITLE_LENGTH = 500;

/** Removes control, bidi and zero-width characters, which are invisible and can disguise a name. */
export function visibleText(text) {
  return String(text)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu, "")
    .trim();
}

export function cut(text, longest) {
  const letters = [...text];
  return letters.length <= longest ? text : `${letters.slice(0, longest - 1).join("")}…`;
}

export function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

/** A badge; its colour only repeats what the text says. */
export function tag(text, kind) {
  return element("span", text, `tag ${kind}`);
}

/**
 * A column is {title, of: row => text or element, kind: CSS class}. A long name is cut, and its title has the full
 * text. `rowKind` returns the CSS class of a row.
 */
export function fillTable(table, columns, rows, nothing, rowKind = () => "") {
  if (rows.length === 0) {
    table.replaceChildren(element("caption", nothing, "empty"));
    return;
  }
  const head = element("tr", undefined, "titles");
  for (const { title, kind } of columns) {
    const cell = withRole(element("th", title, kind), "columnheader");
    cell.scope = "col";
    head.append(cell);
  }
  const lines = rows.map(row => {
    const line = withRole(element("tr", undefined, rowKind(row)), "row");
    for (const column of columns) line.append(cellOf(column, row));
    return line;
  });
  const groups = [element("thead"), element("tbody")].map(group => withRole(group, "rowgroup"));
  groups[0].append(withRole(head, "row"));
  groups[1].append(...lines);
  withRole(table, "table").replaceChildren(...groups);
}

function cellOf({ title, of, kind = "" }, row) {
  const value = of(row);
  const cell = withRole(element("td", undefined, kind), "cell");
  if (title !== "") cell.dataset.label = title;
  if (value instanceof Node) {
    cell.append(value);
    return cell;
  }
  const text = visibleText(value);
  if (kind === "name") {
    cell.append(element("span", cut(text, MAX_NAME_LENGTH) || "(no name)"));
    cell.title = cut(text, MAX_TITLE_LENGTH);
  } else {
    cell.append(element("span", text));
  }
  return cell;
}

function withRole(made, role) {
  made.setAttribute("role", role);
  return made;
}
