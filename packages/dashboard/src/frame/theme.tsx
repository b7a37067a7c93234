import { useState } from "react";
import { MenuChoice } from "../parts/menu.tsx";

const KEPT = "tollgate-theme";
const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];

/** `theme.js` applies it before the page is drawn. */
function chosenTheme(): Theme {
  const kept = document.documentElement.dataset.theme;
  return themes.find(theme => theme === kept) ?? "system";
}

export function applyTheme(theme: Theme): void {
  if (theme === "system") {
    localStorage.removeItem(KEPT);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(KEPT, theme);
    document.documentElement.dataset.theme = theme;
  }
}

const options = [
  { value: "system", label: "System theme" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
] as const;

export function ThemeChoice() {
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <MenuChoice
      value={theme}
      options={options}
      onChange={chosen => {
        applyTheme(chosen);
        setTheme(chosen);
      }}
    />
  );
}
