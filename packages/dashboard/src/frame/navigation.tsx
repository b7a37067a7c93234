import { Link, useNavigate } from "@tanstack/react-router";
import { useSession } from "../data/session.tsx";
import { signOut } from "../data/sign-in.ts";
import { useChange } from "../data/use-operation.ts";
import { filterNames } from "../data/view-search.ts";
import { plainName } from "../format/name.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Menu, MenuChoice, MenuItem, MenuSeparator } from "../parts/menu.tsx";
import { Name } from "../parts/name.tsx";
import { type PageEntry, usePages } from "./pages.ts";
import { ThemeChoice } from "./theme.tsx";

/** On a phone: so many pages in the bar, the others in a menu. */
const IN_BAR = 4;

interface NavigationProps {
  readonly onPalette: () => void;
  readonly onHelp: () => void;
}

export function Navigation({ onPalette, onHelp }: NavigationProps) {
  const pages = usePages();
  const navigate = useNavigate();
  const rest = pages.slice(IN_BAR);
  const isInSeveral = useSession().account.memberships.length > 1;
  return (
    <nav className="navigation" aria-label="Pages">
      <div className="navigation-head">
        <img src="/dashboard/icon.svg" alt="" width="22" height="22" />
        <OrganizationMenu />
      </div>
      <button type="button" className="navigation-search" onClick={onPalette} aria-keyshortcuts="Control+K">
        <Icon name="search" />
        <span>Search</span>
        <kbd>⌘K</kbd>
      </button>
      <ul className="navigation-pages">
        {pages.map((page, index) => (
          <li key={page.path} data-in-bar={index < IN_BAR || undefined}>
            <PageLink page={page} />
          </li>
        ))}
        <li className="navigation-more">
          <Menu align="end" trigger={<MoreButton />}>
            {rest.map(({ path, title, icon }) => (
              <MenuItem key={path} onSelect={() => void navigate({ to: path })}>
                <Icon name={icon} /> {title}
              </MenuItem>
            ))}
            {rest.length > 0 && <MenuSeparator />}
            <MenuItem onSelect={onPalette}>
              <Icon name="search" /> Search
            </MenuItem>
            {isInSeveral && (
              <>
                <MenuSeparator />
                <OrganizationChoice />
                <MenuSeparator />
              </>
            )}
            <AccountItems onHelp={onHelp} />
          </Menu>
        </li>
      </ul>
      <div className="navigation-foot">
        <Menu trigger={<AccountButton />}>
          <AccountItems onHelp={onHelp} />
        </Menu>
        <IconButton icon="help" label="Keyboard shortcuts" onClick={onHelp} />
      </div>
    </nav>
  );
}

function PageLink({ page: { path, title, icon } }: { readonly page: PageEntry }) {
  return (
    <Link to={path} className="navigation-link" activeOptions={{ exact: path === "/", includeSearch: false }}>
      <Icon name={icon} size={18} />
      <span>{title}</span>
    </Link>
  );
}

function MoreButton(props: object) {
  return (
    <button type="button" {...props} className="navigation-link">
      <Icon name="more" size={18} />
      <span>More</span>
    </button>
  );
}

function AccountButton(props: object) {
  const { account } = useSession();
  return (
    <Button kind="quiet" {...props} className="account-button">
      <Name name={account.user?.email ?? "API key"} maxLength={24} />
    </Button>
  );
}

function AccountItems({ onHelp }: { readonly onHelp: () => void }) {
  return (
    <>
      <ThemeChoice />
      <MenuSeparator />
      <MenuItem onSelect={() => location.assign("/docs")}>API reference</MenuItem>
      <MenuItem onSelect={onHelp}>Keyboard shortcuts</MenuItem>
      <MenuItem onSelect={() => void signOut()}>Sign out</MenuItem>
    </>
  );
}

/** The organization's name; a choice for people in several. */
function OrganizationMenu() {
  const { account, organization } = useSession();
  if (account.memberships.length < 2) {
    return (
      <span className="organization">
        <Name name={organization.name} maxLength={40} />
      </span>
    );
  }
  return (
    <Menu
      trigger={
        <button type="button" className="organization">
          <Name name={organization.name} maxLength={40} />
          <Icon name="down" size={14} />
        </button>
      }
    >
      <OrganizationChoice />
    </Menu>
  );
}

function OrganizationChoice() {
  const { account, organization } = useSession();
  const navigate = useNavigate();
  const remember = useChange("account.switch_organization", { refreshes: [] });
  const active = account.memberships.filter(({ organization: { status } }) => status === "active");
  return (
    <MenuChoice
      value={organization.id}
      options={active.map(({ organization: { id, name } }) => ({ value: id, label: plainName(name) }))}
      onChange={id => {
        // Also where an address without an organization leads from now on.
        remember.mutate({ organization_id: id });
        // Filters and details have ids of the organization that is left.
        void navigate({ to: "/", search: before => ({ ...before, ...withoutFilters, org: id }) });
      }}
    />
  );
}

const withoutFilters = Object.fromEntries(filterNames.map(name => [name, undefined]));
