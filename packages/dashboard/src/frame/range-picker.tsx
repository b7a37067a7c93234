import { useState } from "react";
import { presetTitles } from "../data/range.ts";
import { useView } from "../data/view.tsx";
import { DEFAULT_RANGE, rangePresets } from "../data/view-search.ts";
import { fullTime, localMinute, zoneName } from "../format/time.ts";
import { Button } from "../parts/button.tsx";
import { DateRangeFields, parseRange } from "../parts/date-range-fields.tsx";
import { Dialog, DialogActions } from "../parts/dialog.tsx";
import { Menu, MenuCheck, MenuChoice, MenuItem, MenuSeparator } from "../parts/menu.tsx";

/** The one time range of the page. */
export function RangePicker() {
  const { range, search, change } = useView();
  const [isCustomOpen, setIsCustomOpen] = useState(false);
  const window = `${fullTime(range.from)} to ${fullTime(range.to)}, ${zoneName()}`;
  return (
    <>
      <Menu
        align="end"
        trigger={
          <Button icon="calendar" title={window} className="range">
            {range.title}
          </Button>
        }
      >
        <MenuChoice
          value={range.preset ?? "custom"}
          options={rangePresets.map(preset => ({ value: preset as string, label: presetTitles[preset] }))}
          onChange={chosen => {
            const preset = rangePresets.find(one => one === chosen);
            change({ range: preset === DEFAULT_RANGE ? undefined : preset, from: undefined, to: undefined });
          }}
        />
        <MenuItem onSelect={() => setIsCustomOpen(true)}>
          <span className="menu-mark" />
          Custom range…
        </MenuItem>
        <MenuSeparator />
        <MenuCheck
          isChecked={search.compare !== "off"}
          onChange={isOn => change({ compare: isOn ? undefined : "off" })}
        >
          Compare with the previous period
        </MenuCheck>
        <p className="menu-note muted">Times: {zoneName()}</p>
      </Menu>
      {isCustomOpen && <CustomRange onClose={() => setIsCustomOpen(false)} />}
    </>
  );
}

/** What the analyses of a page accept. */
const MAX_DAYS = 400;

function CustomRange({ onClose }: { readonly onClose: () => void }) {
  const { range, change } = useView();
  const [typed, setTyped] = useState(() => ({ from: localMinute(range.from), to: localMinute(range.to) }));
  const parsed = parseRange(typed, MAX_DAYS);
  return (
    <Dialog title="Time range" isOpen onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault();
          if (parsed === null) return;
          change({ range: undefined, ...parsed });
          onClose();
        }}
      >
        <DateRangeFields range={typed} onChange={setTyped} maxDays={MAX_DAYS} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={parsed === null}>
            Show
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
