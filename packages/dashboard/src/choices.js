// What the viewer chose, in the address: it survives a reload, and can be sent to somebody else.

const KEPT = "tollgate-choices";
const names = ["mode", "days"];
const selectOf = name => document.getElementById(name);

/** Where the address says nothing, what it said before the viewer had to sign in. What is no choice is left alone. */
export function readChoices() {
  const search = location.search || sessionStorage.getItem(KEPT) || "";
  sessionStorage.removeItem(KEPT);
  const asked = new URLSearchParams(search);
  for (const name of names) {
    const select = selectOf(name);
    const value = asked.get(name);
    if ([...select.options].some(option => option.value === value)) select.value = value;
    else reset(select);
  }
  if (search !== location.search) writeChoices();
}

export function writeChoices() {
  const query = new URLSearchParams();
  for (const name of names) {
    const select = selectOf(name);
    if (!select.selectedOptions[0].defaultSelected) query.set(name, select.value);
  }
  const search = query.size === 0 ? "" : `?${query}`;
  history.replaceState(null, "", `${location.pathname}${search}`);
}

/** Signing in leads back to the plain address. */
export function keepForSignIn() {
  if (location.search !== "") sessionStorage.setItem(KEPT, location.search);
}

/** Browsers restore what a form showed last; the address is what counts. */
function reset(select) {
  for (const option of select.options) if (option.defaultSelected) select.value = option.value;
}
