// Keeps the viewer's choices in the URL, so that they survive a reload and can be shared.

const KEPT = "tollgate-choices";
const names = ["mode", "days"];
const selectOf = name => document.getElementById(name);

/** From the URL, otherwise from the URL before the viewer had to sign in. Unknown values are ignored. */
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

/** Signing in leads back to the URL without its query. */
export function keepForSignIn() {
  if (location.search !== "") sessionStorage.setItem(KEPT, location.search);
}

/** Browsers restore a form's last values, but the URL is authoritative. */
function reset(select) {
  for (const option of select.options) if (option.defaultSelected) select.value = option.value;
}
